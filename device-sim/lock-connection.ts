// A lock with a line of its own to the gateway (Protocol 2).
import type { Faults } from './faults.ts';
import type { LockMemory } from './lock-memory.ts';
import { createLockTalk } from './lock-talk.ts';
import { createLine, type LineConnection, type LineOptions } from './mqtt-line.ts';
import type { SimulatedLock } from './simulated-lock.ts';

export interface LockConnectionOptions extends Omit<LineOptions, 'onUp' | 'onMessage' | 'onDown'> {
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly faults: Faults;
  /** It made its key itself and waits to be confirmed (Protocol 7). */
  readonly pairs?: boolean;
}

/** A lock's connection: its own, or its place behind a hub. */
export interface LockConnection {
  start(): void;
  /** Says offline and goes, in at most 2 s. */
  stop(): Promise<void>;
  /** The network breaks at once and stays away until `restore`. */
  cut(): void;
  restore(): void;
  /** A connection that looks alive and carries nothing: what arrives is held until `thaw`, what is said is held as well. */
  freeze(): void;
  thaw(): void;
  /** The lock answers again after a silence, in which the gateway may have given it up. */
  answersAgain(): void;
  /** The gateway has acknowledged the hello of this connection. */
  readonly online: boolean;
  /** Connected, and yet to be confirmed. */
  readonly waiting: boolean;
  /** What went wrong last; undefined while all is well. */
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
    // The gateway has closed a connection of its own that did not answer.
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
