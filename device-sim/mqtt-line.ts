// A line to the gateway: one MQTT connection at a time, made anew when it breaks (Protocol 1, 2, 6). The only file of the
// simulator that knows the MQTT library. Who speaks over it, a lock or a hub, is not its business.
import { Socket } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { Topics } from '../src/drivers/native/topics.ts';
import type { Random } from './seeded-random.ts';
import type { TimeSource } from './time-source.ts';

/** One connection that is up. */
export interface LineConnection {
  /** Resolves with the PUBACK; rejects when the connection ends before. */
  publish(topic: string, payload: string, retain: boolean): Promise<void>;
  /** False: refused. */
  subscribe(topic: string): Promise<boolean>;
  /** Broken, as by the network. */
  breakOff(): void;
  /** Ended from here; another is tried after a while. */
  giveUp(reason: string): void;
}

/** Waiting time before the next attempt: grows from min to max, each with jitter. */
export interface Reconnect {
  readonly minMs: number;
  readonly maxMs: number;
  /** In place of `maxMs` while the gateway closes the connection before it answers: what is full stays so, and thousands may ask. */
  readonly turnedAwayMs?: number;
}

export interface LineOptions {
  /** `mqtt://host:port`. */
  readonly url: string;
  readonly topics: Topics;
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
  /** 1 to 120. */
  readonly keepAliveSeconds: number;
  readonly reconnect: Reconnect;
  readonly random: Random;
  readonly time: TimeSource;
  readonly tell: (line: string) => void;
  /** The gateway closed the connection before it answered: of a whole fleet it is enough to hear that once. */
  readonly onTurnedAway: () => void;
  onUp(connection: LineConnection): void;
  onMessage(connection: LineConnection, topic: string, text: string): void;
  /** Whether or not it was up; the next attempt is under way. */
  onDown(): void;
}

export interface Line {
  start(): void;
  /** Breaks at once and stays away until `start`. */
  cut(): void;
  /** Looks alive and carries nothing: what arrives is held until `thaw`, what is said is held as well. */
  freeze(): void;
  thaw(): void;
  /** Says `farewell` and goes, in at most 2 s. */
  stop(farewell: (connection: LineConnection) => Promise<void>): Promise<void>;
  /** The other side has taken us in: the next failure is a first one. */
  settled(): void;
  readonly connection: LineConnection | undefined;
  /** What went wrong last; undefined while all is well. */
  readonly trouble: string | undefined;
}

const turnedAway = 'the gateway closes the connection before it answers';

export function createLine(options: LineOptions): Line {
  const { time, topics, deviceId } = options;
  let wanted = false;
  let client: MqttClient | undefined;
  let connection: LineConnection | undefined;
  let trouble: string | undefined;
  let attempts = 0;
  /** Why the attempt that is under way has come to nothing, or that it has come to something. */
  let explained = false;
  let cancelRetry: (() => void) | undefined;
  let held: (() => void)[] | undefined;

  const whenThawed = (action: () => void): void => {
    if (held === undefined) action();
    else held.push(action);
  };

  function connectionOf(mine: MqttClient): LineConnection {
    return {
      publish: (topic, payload, retain) =>
        new Promise((resolve, reject) => {
          whenThawed(() => mine.publish(topic, payload, { qos: 1, retain }, (error) => (error ? reject(error) : resolve())));
        }),
      subscribe: (topic) =>
        new Promise((resolve) => {
          mine.subscribe(topic, { qos: 1 }, (error, granted) => resolve(error === null && !granted?.some((grant) => grant.qos === 128)));
        }),
      breakOff: () => void mine.stream.destroy(),
      giveUp(reason) {
        noteTrouble(new Error(reason));
        mine.end(true);
      },
    };
  }

  function open(): void {
    cancelRetry = undefined;
    explained = false;
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
    const mineUp = connectionOf(mine);
    mine.on('connect', () => {
      if (mine.stream instanceof Socket) mine.stream.setNoDelay(true);
      connection = mineUp;
      explained = true;
      options.onUp(mineUp);
    });
    mine.on('message', (topic, payload) => {
      whenThawed(() => options.onMessage(mineUp, topic, payload.toString('utf8')));
    });
    mine.on('error', (error) => {
      // What becomes of a close, when it crosses what was being said.
      if (connection === undefined && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))) return;
      noteTrouble(error);
    });
    mine.on('close', () => whenThawed(() => lost(mine)));
  }

  function lost(mine: MqttClient): void {
    if (mine !== client) return;
    client = undefined;
    connection = undefined;
    mine.end(true);
    options.onDown();
    if (!wanted || cancelRetry !== undefined) return;
    if (!explained) {
      trouble = turnedAway;
      options.onTurnedAway();
    }
    const { minMs, maxMs, turnedAwayMs = maxMs } = options.reconnect;
    const ceilingMs = Math.min(explained ? maxMs : turnedAwayMs, minMs * 2 ** attempts++);
    cancelRetry = time.timer(ceilingMs * (0.5 + options.random() / 2), open);
  }

  function noteTrouble(error: Error): void {
    explained = true;
    const text = error.message === '' ? ((error as NodeJS.ErrnoException).code ?? error.name) : error.message;
    if (text !== trouble) options.tell(`no connection: ${text}; trying again`);
    trouble = text;
  }

  function cancel(): void {
    wanted = false;
    cancelRetry?.();
    cancelRetry = undefined;
  }

  function thaw(): void {
    const actions = held ?? [];
    held = undefined;
    for (const action of actions) action();
  }

  return {
    start() {
      wanted = true;
      if (client === undefined && cancelRetry === undefined) open();
    },
    cut() {
      cancel();
      client?.stream.destroy();
    },
    freeze() {
      held ??= [];
    },
    thaw,
    async stop(farewell) {
      cancel();
      thaw();
      const leaving = client;
      if (leaving === undefined) return;
      const up = connection;
      if (up !== undefined) await atMost(time, 1_000, farewell(up));
      await atMost(time, 1_000, new Promise<void>((resolve) => leaving.end(up === undefined, {}, () => resolve())));
      leaving.stream.destroy();
      lost(leaving);
    },
    settled() {
      attempts = 0;
      trouble = undefined;
    },
    get connection() {
      return connection;
    },
    get trouble() {
      return trouble;
    },
  };
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
