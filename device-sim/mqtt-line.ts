// A line to the gateway: one MQTT connection at a time, with reconnection when it breaks (Protocol 1, 2, 6). The only file
// of the simulator that knows the MQTT library. It serves a lock, a hub, and devices of other makes alike.
import { Socket } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import { createPingTimer } from './ping-timer.ts';
import type { Random } from './seeded-random.ts';
import type { TimeSource } from './time-source.ts';

export type Qos = 0 | 1 | 2;

/** What a CONNECT says. */
export interface LineLogin {
  readonly clientId: string;
  /** Both or none. */
  readonly username?: string;
  readonly password?: string;
  /** 0: none. */
  readonly keepAliveSeconds: number;
  readonly clean: boolean;
  readonly will?: { readonly topic: string; readonly payload: string; readonly qos: Qos; readonly retain: boolean };
  /** Beyond the CONNECT: `none` sends no PINGREQ, `unanswered` goes on without an answer. By default an unanswered one ends the connection. */
  readonly pings?: 'none' | 'unanswered';
}

/** One connection that is up. */
export interface LineConnection {
  /** With QoS 1, as by default, resolves with the PUBACK; rejects when the connection ends before. */
  publish(topic: string, payload: string, retain: boolean, qos?: Qos): Promise<void>;
  /** Subscribes; false: the gateway refused. */
  subscribe(topic: string, qos?: Qos): Promise<boolean>;
  /** Breaks the connection, as the network would. */
  breakOff(): void;
  /** Ends the connection from this side; the line tries another after a while. */
  giveUp(reason: string): void;
}

/** How long the line waits before the next attempt: grows from min to max, each with jitter. */
export interface Reconnect {
  readonly minMs: number;
  readonly maxMs: number;
  /** In place of `maxMs` while the gateway closes the connection before it answers: a full gateway stays full, and thousands may try. */
  readonly turnedAwayMs?: number;
}

export interface LineOptions {
  /** `mqtt://host:port`. */
  readonly url: string;
  /** Asked at each connect. */
  readonly login: () => LineLogin;
  readonly reconnect: Reconnect;
  readonly random: Random;
  readonly time: TimeSource;
  readonly tell: (line: string) => void;
  /** Called when the gateway closed the connection before it answered; a fleet prints that once. */
  readonly onTurnedAway: () => void;
  onUp(connection: LineConnection): void;
  onMessage(connection: LineConnection, topic: string, text: string): void;
  /** Called when a connection has ended, whether or not it was up; the next attempt is scheduled. */
  onDown(): void;
}

export interface Line {
  start(): void;
  /** Breaks the connection at once and does not reconnect until `start`. */
  cut(): void;
  /** Half-open: the connection looks alive and carries nothing; packets of both directions are buffered until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Sends `farewell` and disconnects, in at most 2 s. */
  stop(farewell: (connection: LineConnection) => Promise<void>): Promise<void>;
  /** The gateway has accepted us: the next failure counts as a first one. */
  settled(): void;
  readonly connection: LineConnection | undefined;
  /** The last problem; undefined while there is none. */
  readonly trouble: string | undefined;
}

const turnedAway = 'the gateway closes the connection before it answers';

export function createLine(options: LineOptions): Line {
  const { time } = options;
  let wanted = false;
  let client: MqttClient | undefined;
  let connection: LineConnection | undefined;
  let trouble: string | undefined;
  let attempts = 0;
  /** Why the current attempt failed, or that it succeeded. */
  let explained = false;
  let cancelRetry: (() => void) | undefined;
  let held: (() => void)[] | undefined;

  const whenThawed = (action: () => void): void => {
    if (held === undefined) action();
    else held.push(action);
  };

  function connectionOf(mine: MqttClient): LineConnection {
    return {
      publish: (topic, payload, retain, qos = 1) =>
        new Promise((resolve, reject) => {
          whenThawed(() => mine.publish(topic, payload, { qos, retain }, (error) => (error ? reject(error) : resolve())));
        }),
      subscribe: (topic, qos = 1) =>
        new Promise((resolve) => {
          mine.subscribe(topic, { qos }, (error, granted) => resolve(error === null && !granted?.some((grant) => grant.qos === 128)));
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
    const { clientId, username, password, keepAliveSeconds, clean, will, pings } = options.login();
    const mine = connect(options.url, {
      protocolVersion: 4,
      ...{ clean, clientId, keepalive: keepAliveSeconds },
      ...(username !== undefined && { username, password }),
      ...(will !== undefined && { will: { ...will, payload: Buffer.from(will.payload) } }),
      ...(pings !== undefined && { timerVariant: createPingTimer(pings) }),
      // Each connection gets its own client, so that no message of an old session is sent in a new one.
      reconnectPeriod: 0,
      connectTimeout: 10_000,
    });
    client = mine;
    const mineUp = connectionOf(mine);
    mine.on('connect', () => {
      if (mine.stream instanceof Socket) mine.stream.setNoDelay(true);
      // The library waits for each write apart; a device that floods writes far ahead.
      mine.stream.setMaxListeners(0);
      connection = mineUp;
      explained = true;
      options.onUp(mineUp);
    });
    mine.on('message', (topic, payload) => {
      whenThawed(() => options.onMessage(mineUp, topic, payload.toString('utf8')));
    });
    mine.on('error', (error) => {
      // Errors of a write that crosses the close, or of a connection that we leave.
      if ((connection === undefined || !wanted) && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))) return;
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

/** Resolves when the work has ended, in whatever way, or the time is up. */
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
