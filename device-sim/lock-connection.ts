// A lock's line to the gateway: one MQTT connection at a time, made anew when it breaks (Protocol 1, 2, 6). The only file
// of the simulator that knows the MQTT library.
import { Socket } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import type { DeviceId } from '../src/domain/lock.ts';
import { commandMessage } from '../src/mqtt/messages.ts';
import type { ReportChannel, Topics } from '../src/mqtt/topics.ts';
import { createEventSender } from './event-sender.ts';
import type { Faults } from './faults.ts';
import type { LockMemory } from './lock-memory.ts';
import type { Random } from './seeded-random.ts';
import type { SimulatedLock } from './simulated-lock.ts';
import type { TimeSource } from './time-source.ts';

export interface LockConnectionOptions {
  /** `mqtt://host:port`; also mqtts, ws and wss, the latter two with the path /mqtt. Node trusts what NODE_EXTRA_CA_CERTS names. */
  readonly url: string;
  readonly topics: Topics;
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
  /** 1 to 120. */
  readonly keepAliveSeconds: number;
  /** Waiting time before the next attempt: grows from min to max, each with jitter. */
  readonly reconnect: { readonly minMs: number; readonly maxMs: number };
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly faults: Faults;
  readonly random: Random;
  readonly time: TimeSource;
  readonly tell: (line: string) => void;
}

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
  /** The gateway has acknowledged the hello of this connection. */
  readonly online: boolean;
  /** What went wrong last; undefined while all is well. */
  readonly trouble: string | undefined;
  /** Resolves when the lock is online, now or later. */
  whenOnline(): Promise<void>;
}

export function createLockConnection(options: LockConnectionOptions): LockConnection {
  const { lock, memory, faults, time, topics, deviceId } = options;
  const command = topics.build(deviceId, 'command');
  let wanted = false;
  let client: MqttClient | undefined;
  let online = false;
  let trouble: string | undefined;
  let attempts = 0;
  let cancelRetry: (() => void) | undefined;
  let held: (() => void)[] | undefined;
  let waiting: (() => void)[] = [];
  // With every message doubled, half as many keep the promise of 20 without PUBACK.
  const sender = createEventSender(memory, faults.duplicates ? 10 : 20);

  const whenThawed = (action: () => void): void => {
    if (held === undefined) action();
    else held.push(action);
  };

  function publish(to: MqttClient, channel: ReportChannel, payload: string, retain = false): Promise<void> {
    const topic = topics.build(deviceId, channel);
    const once = (): Promise<void> =>
      new Promise((resolve, reject) => {
        whenThawed(() => to.publish(topic, payload, { qos: 1, retain }, (error) => (error ? reject(error) : resolve())));
      });
    if (faults.duplicates) once().catch(() => undefined);
    return once();
  }

  /** For what needs no PUBACK: a connection that ends takes it along, and the next hello says it again. */
  function say(to: MqttClient, channel: ReportChannel, message: object): void {
    publish(to, channel, JSON.stringify(message)).catch(() => undefined);
  }

  function open(): void {
    cancelRetry = undefined;
    const mine = connect(options.url, {
      protocolVersion: 4,
      clean: true,
      clientId: deviceId,
      username: deviceId,
      password: options.deviceKey,
      keepalive: options.keepAliveSeconds,
      will: { topic: topics.build(deviceId, 'status'), payload: Buffer.from('offline'), qos: 1, retain: true },
      // Each connection gets a client of its own, so that nothing of an old session is sent in a new one.
      reconnectPeriod: 0,
      connectTimeout: 10_000,
    });
    client = mine;
    mine.on('connect', () => greet(mine));
    mine.on('message', (topic, payload) => {
      if (topic === command) whenThawed(() => take(mine, payload.toString('utf8')));
    });
    mine.on('error', (error) => noteTrouble(error));
    mine.on('close', () => whenThawed(() => lost(mine)));
  }

  function greet(mine: MqttClient): void {
    if (mine.stream instanceof Socket) mine.stream.setNoDelay(true);
    mine.subscribe(command, { qos: 1 }, (error, granted) => {
      if (error !== null || granted?.some((grant) => grant.qos === 128)) {
        noteTrouble(new Error('the gateway refused the subscription'));
        mine.end(true);
        return;
      }
      const hello = lock.connect({
        state: (message) => say(mine, 'state', message),
        battery: (message) => say(mine, 'battery', message),
        reply: (message) => say(mine, 'reply', message),
        eventsKept: () => sender.pump(),
        resendEvents: (epoch, from, to) => sender.resend(epoch, from, to),
      });
      publish(mine, 'hello', JSON.stringify(hello)).then(
        () => greeted(mine),
        () => undefined,
      );
      lock.reportStatus();
      publish(mine, 'status', 'online', true).catch(() => undefined);
      sender.begin((message) => publish(mine, 'events', JSON.stringify(message)));
    });
  }

  function greeted(mine: MqttClient): void {
    if (mine !== client) return;
    online = true;
    attempts = 0;
    trouble = undefined;
    options.tell('online');
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function take(mine: MqttClient, text: string): void {
    const parsed = commandMessage.safeParse(parseJson(text));
    if (!parsed.success) {
      options.tell(`a command that cannot be understood: ${text.slice(0, 120)}`);
      return;
    }
    const fault = faults.next();
    if (fault.kind !== 'none') options.tell(`${parsed.data.op} meets a fault: ${fault.kind}`);
    for (let copies = faults.duplicates ? 2 : 1; copies > 0; copies--) lock.receive(parsed.data, fault);
    if (fault.kind === 'disconnect') mine.stream.destroy();
  }

  function lost(mine: MqttClient): void {
    if (mine !== client) return;
    client = undefined;
    mine.end(true);
    sender.end();
    lock.disconnect();
    if (online) options.tell('offline');
    online = false;
    if (!wanted || cancelRetry !== undefined) return;
    const ceilingMs = Math.min(options.reconnect.maxMs, options.reconnect.minMs * 2 ** attempts++);
    cancelRetry = time.timer(ceilingMs * (0.5 + options.random() / 2), open);
  }

  function noteTrouble(error: Error): void {
    const text = error.message === '' ? ((error as NodeJS.ErrnoException).code ?? error.name) : error.message;
    if (text !== trouble) options.tell(`no connection: ${text}; trying again`);
    trouble = text;
  }

  function start(): void {
    wanted = true;
    if (client === undefined && cancelRetry === undefined) open();
  }

  function cut(): void {
    wanted = false;
    cancelRetry?.();
    cancelRetry = undefined;
    client?.stream.destroy();
  }

  function thaw(): void {
    const actions = held ?? [];
    held = undefined;
    for (const action of actions) action();
  }

  return {
    start,
    cut,
    restore: start,
    freeze() {
      held ??= [];
    },
    thaw,
    async stop() {
      wanted = false;
      cancelRetry?.();
      cancelRetry = undefined;
      thaw();
      const leaving = client;
      if (leaving === undefined) return;
      if (online) await atMost(time, 1_000, publish(leaving, 'status', 'offline', true));
      await atMost(time, 1_000, new Promise<void>((resolve) => leaving.end(!online, {}, () => resolve())));
      leaving.stream.destroy();
      lost(leaving);
    },
    get online() {
      return online;
    },
    get trouble() {
      return trouble;
    },
    whenOnline() {
      return online ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
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

/** Resolves when the work is over, however it ended, or the time is up. */
function atMost(time: TimeSource, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.timer(ms, resolve);
    const over = (): void => {
      cancel();
      resolve();
    };
    work.then(over, over);
  });
}
