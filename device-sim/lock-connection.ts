// A lock with an MQTT connection of its own to the gateway (Protocol 2).
import type { Faults } from './faults.ts';
import type { LockMemory } from './lock-memory.ts';
import { createLockTalk } from './lock-talk.ts';
import { createLine, type LineConnection, type LineOptions } from './mqtt-line.ts';
import { type NativeLogin, nativeLogin } from './native-login.ts';
import type { SimulatedLock } from './simulated-lock.ts';

export interface LockConnectionOptions extends Omit<LineOptions, 'login' | 'onUp' | 'onMessage' | 'onDown'>, NativeLogin {
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly faults: Faults;
  /** It made its key itself and waits to be confirmed (Protocol 7). */
  readonly pairs?: boolean;
}

/** A lock's connection to the gateway: its own, or that of its hub. */
export interface LockConnection {
  start(): void;
  /** Says offline and disconnects, in at most 2 s. */
  stop(): Promise<void>;
  /** The network breaks at once and stays away until `restore`. */
  cut(): void;
  restore(): void;
  /** Half-open: the connection looks alive and carries nothing; packets of both directions are buffered until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** The lock answers again after a silence, in which the gateway may have closed its connection. */
  answersAgain(): void;
  /** The gateway has acknowledged the hello of this connection. */
  readonly online: boolean;
  /** Whether it is connected, and a person has yet to confirm it. */
  readonly waiting: boolean;
  /** The last problem; undefined while there is none. */
  readonly trouble: string | undefined;
  /** Resolves when the lock is online, now or later. */
  whenOnline(): Promise<void>;
}

export function createLockConnection(options: LockConnectionOptions): LockConnection {
  const { lock, memory, faults, topics, deviceId, deviceKey, tell, pairs = false } = options;
  const command = topics.build(deviceId, 'command');
  const talk = createLockTalk({ deviceKey, lock, memory, faults, pairs, tell, onTakenIn: () => line.settled() });
  const line = createLine({
    ...options,
    login: () => nativeLogin(options),
    onUp: (connection) => void talk.begin(carrierOf(connection)),
    onMessage(_connection, topic, text) {
      if (topic === command) talk.take(text);
    },
    onDown: talk.end,
  });

  function carrierOf(connection: LineConnection) {
    return {
      publish: (channel: Parameters<typeof topics.build>[1], payload: string, retain: boolean) =>
        connection.publish(topics.build(deviceId, channel), payload, retain),
      subscribe: () => connection.subscribe(command),
      breakOff: connection.breakOff,
      refused: () => connection.giveUp('the gateway refused the subscription'),
    };
  }

  return {
    start: line.start,
    stop: () => line.stop(talk.farewell),
    cut: line.cut,
    restore: line.start,
    freeze: line.freeze,
    thaw: line.thaw,
    // The gateway has closed a connection that did not answer.
    answersAgain: () => undefined,
    get online() {
      return talk.online;
    },
    get waiting() {
      return talk.waiting;
    },
    get trouble() {
      return line.trouble;
    },
    whenOnline: talk.whenOnline,
  };
}
