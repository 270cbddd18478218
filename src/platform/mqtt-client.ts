// One connection to an outside broker. The only file of the gateway that names mqtt.js. Each attempt has a client of its own, so nothing that was
// said in one connection is sent in the next.
import { MqttClient as LibraryClient } from 'mqtt';
import type { Clock } from '../domain/clock.ts';
import { createSendWindow, type Publication, type SendWindow } from './mqtt-send-window.ts';
import { brokerAddress, connectFailure, isLoginRefusal, lossReason, openSocket, type SocketToBroker } from './mqtt-socket.ts';

export interface OutboundMqttOptions {
  readonly clock: Clock;
  /** 0 to below 1: spreads the attempts of many gateways. */
  readonly random: () => number;
  /** `mqtt://host:port` or `mqtts://host:port`; 1883 or 8883 when there is no port. */
  readonly url: string;
  readonly clientId: () => string;
  /** Called at each attempt. Rejects with a sentence for the operator. */
  readonly credentials: () => Promise<BrokerCredentials>;
  /** A broker that does not know version 5 has refused; absent: it is spoken to in version 3.1.1. */
  readonly isVersion5Needed?: true;
  /** How long the next attempt waits after the broker has refused the login or the version; absent: as after every other failure. */
  readonly refusedRetryMs?: number;
  /** What the broker publishes, retained and with quality of service 1, when the connection ends, however it does. */
  readonly will?: { readonly topic: string; readonly payload: string };
  onUp(): void;
  /** The connection, or an attempt, has ended; the next attempt is scheduled. `isRefusal`: the broker refused the login or the version. */
  onDown(reason: string, isRefusal: boolean): void;
  /** `isRetained`: it comes from the store of the broker. */
  onMessage(topic: string, payload: Buffer, isRetained: boolean): void;
  /** The broker does not let us hear this. */
  onRefused(filters: readonly string[]): void;
  /** The broker does not take what was announced on this topic; its reason for the operator. */
  onAnnounceRefused?(topic: string, reason: string): void;
}

export interface BrokerCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM of the authorities that may have signed the broker's certificate; absent: those that Node knows. */
  readonly ca?: string | undefined;
}

export interface OutboundMqtt {
  start(): void;
  /** Says goodbye to the broker, in at most 2 s, or resets the connection when a command was not taken; ends everything. Idempotent. */
  stop(): Promise<void>;
  /**
   * Hands a message to the broker, with quality of service 0 and not retained; false: there is no connection, and nothing was sent. With
   * `ttlMs` it is a command: a broker of version 5 drops it after that time, in whole seconds, at least one. When the broker has not taken
   * it by then, the connection is reset, so that it never comes out of this machine later.
   */
  publish(topic: string, payload: string, ttlMs?: number): boolean;
  /**
   * Hands over what is no command. While the connection lasts, it waits for its place in what the broker takes at once: of a retained topic the
   * newest alone. False: there is no connection, or too much waits; nothing is sent.
   */
  announce(publication: Publication): boolean;
  /** Resolves when little waits of what was announced, or the connection is gone. */
  room(): Promise<void>;
  isUp(): boolean;
  /**
   * Filters that are subscribed already are asked for again, which brings their retained messages again. With `stored` (version 5) a message
   * tells whether it was published to be retained, and our own do not come back; `never`: nothing comes from the store of the broker.
   */
  subscribe(filters: readonly string[], stored?: 'send' | 'never'): void;
  unsubscribe(filters: readonly string[]): void;
}

const keepAliveSeconds = 10;
const connectMs = 10_000;
const goodbyeMs = 2_000;
const firstRetryMs = 1_000;
const lastRetryMs = 60_000;
/** A connection that lived shorter counts as a failed attempt. */
const stableMs = 30_000;
/** A broker that knows version 5 sends nothing larger; from others, a larger message ends the connection. */
const largestPacketBytes = 4_194_304;
/** What a broker answers that does not know version 5: 1 in version 3.1.1, 132 in version 5. */
const unknownVersion: ReadonlySet<number> = new Set([1, 132]);
/** The reason of a DISCONNECT of version 5 that has the broker publish the will all the same. */
const leaveWithWill = 4;
/** Messages with quality of service 1 under way at once, of a broker that would take more. */
const announcedAtOnce = 64;

/** One attempt and the connection that may come of it. */
interface Attempt {
  readonly client: LibraryClient;
  readonly socket: SocketToBroker;
  readonly version: 4 | 5;
  isUp: boolean;
  upAt: number;
  /** Why it ends, once that is known. */
  reason: string | undefined;
  isVersionRefused: boolean;
  isLoginRefused: boolean;
  /** From the connection on. */
  window: SendWindow | undefined;
  pingsSent: number;
  pingsAnswered: number;
  /** The ping behind the last command: when it is answered, the broker has taken all of them. */
  commandPing: number;
  /** Of commands that the broker has not taken for certain. */
  readonly resets: Set<() => void>;
}

export function createOutboundMqtt(options: OutboundMqttOptions): OutboundMqtt {
  const { clock, random } = options;
  const address = brokerAddress(options.url);
  let state: 'idle' | 'running' | 'stopped' = 'idle';
  let current: Attempt | undefined;
  let cancelRetry: (() => void) | undefined;
  let failures = 0;

  async function connect(version: 4 | 5): Promise<void> {
    cancelRetry = undefined;
    let credentials: BrokerCredentials;
    try {
      credentials = await options.credentials();
    } catch (error) {
      if (state === 'running') failed((error as Error).message, false);
      return;
    }
    if (state === 'running') open(version, credentials);
  }

  function open(version: 4 | 5, { username, password, ca }: BrokerCredentials): void {
    const socket = openSocket(address, ca);
    const client = new LibraryClient(() => socket.stream, {
      protocolVersion: version,
      protocol: address.isEncrypted ? 'mqtts' : 'mqtt',
      clientId: options.clientId(),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      clean: true,
      keepalive: keepAliveSeconds,
      // Only an answer of the broker proves that it lives, never that we have sent something.
      reschedulePings: false,
      connectTimeout: connectMs,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      ...(version === 5 ? { properties: { maximumPacketSize: largestPacketBytes, sessionExpiryInterval: 0 } } : {}),
      ...(options.will && { will: { ...options.will, payload: Buffer.from(options.will.payload), qos: 1, retain: true } }),
    });
    const nothingYet = { isUp: false, upAt: 0, reason: undefined, isVersionRefused: false, isLoginRefused: false, window: undefined };
    const counts = { pingsSent: 0, pingsAnswered: 0, commandPing: 0 };
    const attempt: Attempt = { client, socket, version, ...nothingYet, ...counts, resets: new Set() };
    current = attempt;
    listen(attempt);
  }

  function listen(attempt: Attempt): void {
    const { client, socket } = attempt;
    client.on('connect', ({ properties }) => {
      attempt.isUp = true;
      attempt.upAt = clock.monotonic();
      attempt.window = windowOf(attempt, properties?.receiveMaximum);
      options.onUp();
    });
    client.on('message', (topic, payload, { retain }) => {
      if (attempt === current) options.onMessage(topic, payload, retain);
    });
    client.on('packetsend', ({ cmd }) => {
      if (cmd === 'pingreq') attempt.pingsSent += 1;
    });
    let unread = 0;
    client.on('packetreceive', ({ cmd }) => {
      unread = 0;
      if (cmd === 'pingresp') attempt.pingsAnswered += 1;
    });
    socket.stream.on('data', ({ length }: Buffer) => {
      unread += length;
      if (unread > largestPacketBytes + socket.stream.readableHighWaterMark)
        breakOff(attempt, 'the broker sent a message that is too large');
    });
    client.on('disconnect', (packet) => {
      attempt.reason ??= `the broker ended the connection (${packet.reasonCode ?? 0})`;
    });
    client.on('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      attempt.isVersionRefused ||= attempt.version === 5 && typeof code === 'number' && unknownVersion.has(code);
      attempt.isLoginRefused ||= !attempt.isUp && isLoginRefusal(error);
      attempt.reason ??= attempt.isVersionRefused ? 'it does not know version 5 of MQTT' : connectFailure(error);
      socket.reset();
    });
    socket.onFailure((error) => {
      attempt.reason ??= connectFailure(error);
    });
    client.on('close', () => ended(attempt));
  }

  function windowOf(attempt: Attempt, receiveMaximum = announcedAtOnce): SendWindow {
    return createSendWindow({
      atOnce: Math.min(receiveMaximum, announcedAtOnce),
      send({ topic, payload, retain, qos }, taken) {
        attempt.client.publish(topic, payload, { retain, qos }, (error) => {
          if (attempt !== current) return;
          if (error) options.onAnnounceRefused?.(topic, error.message.replace(/^Publish error: /, ''));
          taken();
        });
      },
    });
  }

  function ended(attempt: Attempt): void {
    if (attempt !== current) return;
    current = undefined;
    for (const cancel of attempt.resets) cancel();
    attempt.window?.end();
    attempt.client.end(true);
    if (state !== 'running') return;
    if (attempt.isVersionRefused && options.isVersion5Needed !== true) {
      void connect(4);
      return;
    }
    if (attempt.isUp && clock.monotonic() - attempt.upAt >= stableMs) failures = 0;
    failed(attempt.reason ?? lossReason(attempt.isUp), attempt.isVersionRefused || attempt.isLoginRefused);
  }

  function failed(reason: string, isRefusal: boolean): void {
    const ceilingMs = Math.min(lastRetryMs, firstRetryMs * 2 ** failures);
    failures = Math.min(failures + 1, 10);
    const afterRefusalMs = isRefusal ? options.refusedRetryMs : undefined;
    cancelRetry = clock.timer(afterRefusalMs ?? ceilingMs * (0.5 + random() / 2), () => void connect(5));
    options.onDown(reason, isRefusal);
  }

  function breakOff(attempt: Attempt, reason: string): void {
    attempt.reason ??= reason;
    attempt.socket.reset();
  }

  /** Asks for an answer behind the command: when it comes, the broker has taken the command. */
  function resetUnlessTaken(attempt: Attempt, ttlMs: number): void {
    const { client, resets } = attempt;
    client.sendPing();
    const wanted = attempt.pingsSent;
    attempt.commandPing = wanted;
    const cancel = clock.timer(ttlMs, () => {
      resets.delete(cancel);
      if (attempt.pingsAnswered < wanted) breakOff(attempt, 'the broker did not take a command in time');
    });
    resets.add(cancel);
  }

  function subscribeTo(filters: readonly string[], stored?: 'send' | 'never'): void {
    const attempt = current;
    if (attempt?.isUp !== true || filters.length === 0) return;
    const how = stored === undefined ? {} : { rh: stored === 'never' ? 2 : 0, rap: true, nl: true };
    attempt.client.subscribe([...filters], { qos: 0, ...how }, (_error, _granted, suback) => {
      if (attempt !== current || suback === undefined) return;
      const refused = filters.filter((_, n) => Number(suback.granted[n]) >= 128);
      if (refused.length > 0) options.onRefused(refused);
    });
  }

  return {
    start() {
      if (state !== 'idle') return;
      state = 'running';
      void connect(5);
    },

    async stop() {
      state = 'stopped';
      cancelRetry?.();
      const leaving = current;
      if (leaving === undefined) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(goodbyeMs, () => leaving.socket.reset());
        leaving.client.on('close', () => {
          cancel();
          resolve();
        });
        leaving.window?.end();
        // A command that the broker has not taken must not come out of this machine when the process is gone.
        if (!leaving.isUp || leaving.pingsAnswered < leaving.commandPing) leaving.socket.reset();
        else leaving.client.end(false, options.will === undefined ? {} : { reasonCode: leaveWithWill });
      });
    },

    publish(topic, payload, ttlMs) {
      if (current?.isUp !== true || state !== 'running') return false;
      const { client, version } = current;
      const expires = ttlMs !== undefined && version === 5;
      const properties = expires ? { properties: { messageExpiryInterval: Math.max(1, Math.floor(ttlMs / 1_000)) } } : {};
      client.publish(topic, payload, { qos: 0, retain: false, ...properties });
      if (ttlMs !== undefined) resetUnlessTaken(current, ttlMs);
      return true;
    },

    announce(publication) {
      return current?.window !== undefined && state === 'running' && current.window.add(publication);
    },
    room: () => current?.window?.room() ?? Promise.resolve(),
    isUp: () => current?.isUp === true && state === 'running',

    subscribe: subscribeTo,

    unsubscribe(filters) {
      if (current?.isUp === true && filters.length > 0) current.client.unsubscribe([...filters]);
    },
  };
}
