// A simulated hub: one MQTT connection to the gateway, over which it speaks for the locks bound to it (Protocol 8).
import type { DeviceId } from '../src/domain/locks/lock.ts';
import { createHubLock, type HubLock } from './hub-lock.ts';
import type { LockConnection } from './lock-connection.ts';
import type { LockTalkOptions } from './lock-talk.ts';
import { createLine, type LineOptions } from './mqtt-line.ts';
import { type NativeLogin, nativeLogin } from './native-login.ts';

/** A hub to act on. */
export interface HubHandle {
  /** Number, from 1. */
  readonly number: number;
  readonly name: string;
  readonly mac: string;
  readonly deviceId: DeviceId;
  readonly online: boolean;
  cutNetwork(): void;
  restoreNetwork(): void;
  /** Half-open: the connection looks alive and carries nothing until `thaw`, which delivers the buffered packets. */
  freeze(): void;
  thaw(): void;
}

export interface SimulatedHub {
  readonly handle: HubHandle;
  readonly trouble: string | undefined;
  /** Puts a lock behind this hub; a later call for the same lock replaces the earlier one. */
  attach(deviceId: DeviceId, talk: Omit<LockTalkOptions, 'pairs' | 'onTakenIn'>): LockConnection;
  connect(deviceKey: string): void;
  stop(): Promise<void>;
}

export interface HubOptions
  extends Pick<LineOptions, 'url' | 'reconnect' | 'random' | 'time' | 'tell' | 'onTurnedAway'>,
    Pick<NativeLogin, 'topics' | 'deviceId'> {
  readonly number: number;
  readonly name: string;
}

const keepAliveSeconds = 30;

export function createHub(options: HubOptions): SimulatedHub {
  const { topics, deviceId, time, tell } = options;
  const locks = new Map<DeviceId, HubLock>();
  let line: ReturnType<typeof createLine> | undefined;
  let online = false;

  function attach(lockDevice: DeviceId, talk: Omit<LockTalkOptions, 'pairs' | 'onTakenIn'>): LockConnection {
    const lock = createHubLock({ deviceId: lockDevice, talk, topics, time, tell, retryMs: options.reconnect.minMs, line: () => line });
    locks.set(lockDevice, lock);
    return lock.connection;
  }

  const handle: HubHandle = {
    number: options.number,
    name: options.name,
    mac: (deviceId.match(/../g) ?? []).join(':').toUpperCase(),
    deviceId,
    get online() {
      return online;
    },
    cutNetwork: () => line?.cut(),
    restoreNetwork: () => line?.start(),
    freeze: () => line?.freeze(),
    thaw: () => line?.thaw(),
  };

  return {
    handle,
    get trouble() {
      return line?.trouble;
    },
    attach,
    connect(deviceKey) {
      line ??= createLine({
        ...{ url: options.url, reconnect: options.reconnect },
        login: () => nativeLogin({ topics, deviceId, deviceKey, keepAliveSeconds }),
        ...{ random: options.random, time, tell, onTurnedAway: options.onTurnedAway },
        onUp(connection) {
          online = true;
          line?.settled();
          tell('online');
          connection.publish(topics.build(deviceId, 'status'), 'online', true).catch(() => undefined);
          for (const lock of locks.values()) lock.up();
        },
        onMessage(_connection, topic, text) {
          const parsed = topics.parse(topic);
          if (parsed?.channel === 'command') locks.get(parsed.deviceId)?.command(text);
        },
        onDown() {
          if (online) tell('offline');
          online = false;
          for (const lock of locks.values()) lock.down();
        },
      });
      line.start();
    },
    async stop() {
      await line?.stop((connection) => connection.publish(topics.build(deviceId, 'status'), 'offline', true));
    },
  };
}
