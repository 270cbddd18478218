// What a lock sends and receives over a connection, from the subscription to the last event (Protocol 4, 5). The
// connection may be its own or that of its hub.
import { createHash } from 'node:crypto';
import { type CommandMessage, commandMessage, type HelloMessage } from '../src/drivers/native/messages.ts';
import type { ReportChannel } from '../src/drivers/native/topics.ts';
import { createEventSender } from './event-sender.ts';
import type { Faults } from './faults.ts';
import type { LockMemory } from './lock-memory.ts';
import type { LockVoice } from './lock-voice.ts';
import type { Qos } from './mqtt-line.ts';
import type { SimulatedLock } from './simulated-lock.ts';

/** One connection, as far as it concerns this lock. */
export interface Carrier {
  /** At QoS 1 by default. */
  publish(channel: ReportChannel, payload: string, retain: boolean, qos?: Qos): Promise<void>;
  /** Subscribes to the lock's commands; false: the gateway refused. */
  subscribe(): Promise<boolean>;
  breakOff(): void;
  /** Called when the gateway has refused the subscription and the lock does not wait to be confirmed. */
  refused(): void;
}

export interface LockTalkOptions {
  readonly deviceKey: string;
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly faults: Faults;
  /** The lock made its key itself: a refused subscription means that a person has yet to confirm it (Protocol 7). */
  readonly pairs: boolean;
  readonly tell: (line: string) => void;
  /** Called when the gateway has acknowledged the hello, also that of a lock that waits to be confirmed. */
  readonly onTakenIn?: () => void;
}

export interface LockTalk {
  /** A connection is up: a new session begins on it. */
  begin(carrier: Carrier): Promise<void>;
  /** It is gone. */
  end(): void;
  /**
   * A message has come on the lock's command topic. `check` runs before the lock gets it, and may answer in its place (Protocol 5.3 rule
   * 1).
   */
  take(text: string, check?: (command: CommandMessage, hello: HelloMessage) => 'hand-over' | 'expired'): void;
  /** Says offline, if it is online. */
  farewell(): Promise<void>;
  readonly online: boolean;
  /** Whether it is connected, and a person has yet to confirm it. */
  readonly waiting: boolean;
  whenOnline(): Promise<void>;
}

const mute: LockVoice = {
  state: () => undefined,
  battery: () => undefined,
  reply: () => undefined,
  eventsKept: () => undefined,
  resendEvents: () => Promise.reject(new Error('not confirmed yet')),
};

/** The fingerprint of a key as the gateway shows it: the first 16 hex digits of SHA-256 over the key (Protocol 7). */
export function keyFingerprint(deviceKey: string): string {
  const digits = createHash('sha256').update(deviceKey).digest('hex').slice(0, 16);
  return (digits.match(/.{4}/g) ?? []).join('-');
}

export function createLockTalk(options: LockTalkOptions): LockTalk {
  const { lock, memory, faults, tell } = options;
  let current: Carrier | undefined;
  let hello: HelloMessage | undefined;
  let online = false;
  let waiting = false;
  let watchers: (() => void)[] = [];
  const sender = createEventSender(memory, faults.eventsWindow);

  function publish(carrier: Carrier, channel: ReportChannel, payload: string, retain = false): Promise<void> {
    if (faults.duplicates) carrier.publish(channel, payload, retain).catch(() => undefined);
    return carrier.publish(channel, payload, retain);
  }

  /** Publishes without waiting for the PUBACK: if the connection ends, the next hello says the same again. */
  function say(carrier: Carrier, channel: ReportChannel, message: object): void {
    publish(carrier, channel, JSON.stringify(message)).catch(() => undefined);
  }

  function greet(carrier: Carrier, voice: LockVoice, greeted: () => void): void {
    hello = lock.connect(voice);
    publish(carrier, 'hello', JSON.stringify(hello)).then(
      () => {
        if (carrier === current) greeted();
      },
      () => undefined,
    );
  }

  function goOnline(): void {
    online = true;
    options.onTakenIn?.();
    tell('online');
    for (const resolve of watchers) resolve();
    watchers = [];
  }

  /** Protocol 7: sends hello and status, and nothing else until the gateway ends this connection. */
  function waitToBeConfirmed(carrier: Carrier): void {
    greet(carrier, mute, () => {
      waiting = true;
      options.onTakenIn?.();
      tell(`waits to be confirmed; its key has the fingerprint ${keyFingerprint(options.deviceKey)}`);
    });
  }

  function speak(carrier: Carrier): void {
    const voice: LockVoice = {
      state: (message) => say(carrier, 'state', message),
      battery: (message) => say(carrier, 'battery', message),
      reply: (message) => say(carrier, 'reply', message),
      eventsKept: () => sender.pump(),
      resendEvents: (epoch, from, to) => sender.resend(epoch, from, to),
    };
    greet(carrier, voice, goOnline);
    lock.reportStatus();
    publish(carrier, 'status', 'online', true).catch(() => undefined);
    sender.begin((message) => publish(carrier, 'events', JSON.stringify(message)));
  }

  return {
    async begin(carrier) {
      current = carrier;
      const granted = await carrier.subscribe();
      if (carrier !== current) return;
      if (granted) speak(carrier);
      else if (options.pairs) waitToBeConfirmed(carrier);
      else carrier.refused();
    },
    end() {
      if (current === undefined) return;
      current = undefined;
      hello = undefined;
      waiting = false;
      sender.end();
      lock.disconnect();
      if (online) tell('offline');
      online = false;
    },
    take(text, check) {
      const parsed = commandMessage.safeParse(parseJson(text));
      if (!parsed.success) {
        tell(`a command that cannot be understood: ${text.slice(0, 120)}`);
        return;
      }
      const carrier = current;
      if (carrier === undefined || hello === undefined) return;
      if (check?.(parsed.data, hello) === 'expired') {
        say(carrier, 'reply', { id: parsed.data.id, ok: false, error: 'expired' });
        return;
      }
      const fault = faults.next();
      if (fault.kind !== 'none') tell(`${parsed.data.op} meets a fault: ${fault.kind}`);
      for (let copies = faults.duplicates ? 2 : 1; copies > 0; copies--) lock.receive(parsed.data, fault);
      if (fault.kind === 'disconnect') carrier.breakOff();
    },
    async farewell() {
      if (online && current !== undefined) await publish(current, 'status', 'offline', true);
    },
    get online() {
      return online;
    },
    get waiting() {
      return waiting;
    },
    whenOnline() {
      return online ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve));
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
