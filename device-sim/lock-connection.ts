// A lock with an MQTT connection of its own to the gateway (Protocol 2).
import type { Faults } from './faults.ts';
import type { LockMemory } from './lock-memory.ts';
import { type Carrier, createLockTalk } from './lock-talk.ts';
import { createLine, type LineConnection, type LineOptions } from './mqtt-line.ts';
import { type NativeLogin, nativeLogin } from './native-login.ts';
import { type Breach, heardOtherwise } from './planted/breach.ts';
import type { SimulatedLock } from './simulated-lock.ts';

export interface LockConnectionOptions extends Omit<LineOptions, 'login' | 'onUp' | 'onMessage' | 'onDown'>, NativeLogin {
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly faults: Faults;
  /** It made its key itself and waits to be confirmed (Protocol 7). */
  readonly pairs?: boolean;
  /** What a planted fault has in the place of its parts; nothing by default. */
  readonly breach?: Breach;
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
  const { lock, memory, faults, topics, deviceId, deviceKey, tell, pairs = false, breach = {} } = options;
  const command = topics.build(deviceId, 'command');
  const talk = createLockTalk({ deviceKey, lock, memory, faults, pairs, tell, onTakenIn: () => line.settled() });
  const line = createLine({
    ...options,
    login: () => breach.login?.(nativeLogin(options)) ?? nativeLogin(options),
    onUp: (connection) => void talk.begin(carrierOf(connection)),
    onMessage(_connection, topic, text) {
      if (topic === command) for (const heard of heardAs(text)) talk.take(heard);
    },
    onDown: talk.end,
  });

  function heardAs(text: string): readonly string[] {
    const { hears } = breach;
    return hears === undefined ? [text] : heardOtherwise(text, (received) => hears(received, lock, memory));
  }

  function carrierOf(connection: LineConnection): Carrier {
    const carrier: Carrier = {
      publish: (channel, payload, retain, qos) => connection.publish(topics.build(deviceId, channel), payload, retain, qos),
      subscribe: () => connection.subscribe(command),
      breakOff: connection.breakOff,
      refused: () => connection.giveUp('the gateway refused the subscription'),
    };
    return breach.carrier?.(carrier, memory) ?? carrier;
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
