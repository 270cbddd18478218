// A simulated hub: one line to the gateway, over which it speaks for the locks bound to it (Protocol 3 and 8). What is a
// network for a WiFi lock is the Bluetooth link to the hub for these.
import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { CommandMessage, HelloMessage } from '../src/drivers/native/messages.ts';
import type { ReportChannel } from '../src/drivers/native/topics.ts';
import type { LockConnection } from './lock-connection.ts';
import { type Carrier, createLockTalk, type LockTalkOptions } from './lock-talk.ts';
import { createLine, type LineConnection, type LineOptions } from './mqtt-line.ts';

/** A hub to act on. */
export interface HubHandle {
  /** From 1. */
  readonly number: number;
  readonly name: string;
  readonly mac: string;
  readonly deviceId: DeviceId;
  readonly online: boolean;
  cutNetwork(): void;
  restoreNetwork(): void;
  /** Half-open: looks alive and carries nothing until `thaw`, which delivers what was held. */
  freeze(): void;
  thaw(): void;
}

export interface SimulatedHub {
  readonly handle: HubHandle;
  readonly trouble: string | undefined;
  /** A lock's place behind this hub; a later one for the same lock replaces it. */
  attach(deviceId: DeviceId, talk: Omit<LockTalkOptions, 'pairs' | 'onTakenIn'>): LockConnection;
  connect(deviceKey: string): void;
  stop(): Promise<void>;
}

export interface HubOptions
  extends Pick<LineOptions, 'deviceId' | 'url' | 'topics' | 'reconnect' | 'random' | 'time' | 'tell' | 'onTurnedAway'> {
  readonly number: number;
  readonly name: string;
}

/** What the hub tells a place. */
interface Place {
  up(connection: LineConnection): void;
  down(): void;
  command(text: string): void;
}

const keepAliveSeconds = 30;
/** Until a lock that is not bound here is tried again: its subscription was refused. */
const askAgainMs = 2_000;

export function createHub(options: HubOptions): SimulatedHub {
  const { topics, deviceId, time, tell } = options;
  const places = new Map<DeviceId, Place>();
  let line: ReturnType<typeof createLine> | undefined;
  let online = false;

  function attach(lockDevice: DeviceId, talkOptions: Omit<LockTalkOptions, 'pairs' | 'onTakenIn'>): LockConnection {
    const talk = createLockTalk({ ...talkOptions, pairs: false });
    let linked = false;
    let held: (() => void)[] | undefined;
    let helloAt = 0;
    let cancelRetry: (() => void) | undefined;

    const whenThawed = (action: () => void): void => {
      if (held === undefined) action();
      else held.push(action);
    };

    function carrierOf(connection: LineConnection): Carrier {
      return {
        publish(channel: ReportChannel, payload, retain) {
          if (channel === 'hello') helloAt = time.monotonic();
          return new Promise((resolve, reject) => {
            whenThawed(() => connection.publish(topics.build(lockDevice, channel), payload, retain).then(resolve, reject));
          });
        },
        subscribe: () => connection.subscribe(topics.build(lockDevice, 'command')),
        breakOff() {
          unlink();
          retry(options.reconnect.minMs);
        },
        // Nothing is said for a lock that the gateway has not bound to this hub: that would cost all of them the connection.
        refused() {
          tell(`${lockDevice} is not bound to this hub`);
          retry(askAgainMs);
        },
      };
    }

    function retry(ms: number): void {
      cancelRetry?.();
      cancelRetry = time.timer(ms, begin);
    }

    function begin(): void {
      cancelRetry?.();
      cancelRetry = undefined;
      linked = true;
      const connection = line?.connection;
      if (connection === undefined) return;
      talk.end();
      void talk.begin(carrierOf(connection));
    }

    /** The hub has lost the lock: it says so for it. */
    function unlink(): void {
      cancelRetry?.();
      cancelRetry = undefined;
      linked = false;
      talk.farewell().catch(() => undefined);
      talk.end();
    }

    /** Protocol 5.3 rule 1: a hub looks before it hands over, with the uptime of its own hello for that lock. */
    function check(command: CommandMessage, hello: HelloMessage): 'hand-over' | 'expired' {
      const uptime = hello.uptime + (time.monotonic() - helloAt);
      return command.session === hello.session && command.expires >= uptime ? 'hand-over' : 'expired';
    }

    places.set(lockDevice, {
      up() {
        if (linked) begin();
      },
      down: talk.end,
      command: (text) => whenThawed(() => talk.take(text, check)),
    });

    function thaw(): void {
      const actions = held ?? [];
      held = undefined;
      for (const action of actions) action();
    }

    return {
      start: begin,
      restore: begin,
      async stop() {
        thaw();
        unlink();
      },
      cut: unlink,
      freeze() {
        held ??= [];
      },
      thaw,
      // The gateway holds it for offline until its next hello (Protocol 5.4 rule 3).
      answersAgain: begin,
      get online() {
        return talk.online;
      },
      waiting: false,
      get trouble() {
        return line?.trouble;
      },
      whenOnline: talk.whenOnline,
    };
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
        ...{ url: options.url, topics, deviceId, deviceKey, keepAliveSeconds, reconnect: options.reconnect },
        ...{ random: options.random, time, tell, onTurnedAway: options.onTurnedAway },
        onUp(connection) {
          online = true;
          line?.settled();
          tell('online');
          connection.publish(topics.build(deviceId, 'status'), 'online', true).catch(() => undefined);
          for (const place of places.values()) place.up(connection);
        },
        onMessage(_connection, topic, text) {
          const parsed = topics.parse(topic);
          if (parsed?.channel === 'command') places.get(parsed.deviceId)?.command(text);
        },
        onDown() {
          if (online) tell('offline');
          online = false;
          for (const place of places.values()) place.down();
        },
      });
      line.start();
    },
    async stop() {
      await line?.stop((connection) => connection.publish(topics.build(deviceId, 'status'), 'offline', true));
    },
  };
}
