// One connection to an outside broker, from the attempt to its end. The only file of the gateway that names mqtt.js, which is loaded at the
// first attempt. Each connection has a client of its own, so nothing that was said in one is sent in the next.
import type { MqttClient as LibraryClient } from 'mqtt';
import type { Clock } from '../domain/clock.ts';
import { createSendWindow, type Publication, type SendWindow } from './mqtt-send-window.ts';
import { type BrokerAddress, connectFailure, isLoginRefusal, lossReason, openSocket } from './mqtt-socket.ts';

export interface BrokerCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM of the authorities that may have signed the broker's certificate; absent: those that Node knows. */
  readonly ca?: string | undefined;
}

/** What a connection hears of its broker. */
export interface MqttListener {
  onUp(): void;
  /** `isRetained`: it comes from the store of the broker. */
  onMessage(topic: string, payload: Buffer, isRetained: boolean): void;
  /** The broker does not let us hear this. */
  onRefused(filters: readonly string[]): void;
  /** The broker does not take what was announced on this topic; its reason for the operator. */
  onAnnounceRefused?(topic: string, reason: string): void;
}

export interface MqttConnectionOptions {
  readonly clock: Clock;
  readonly address: BrokerAddress;
  /** 5, or 4 for version 3.1.1. */
  readonly version: 4 | 5;
  readonly clientId: string;
  readonly credentials: BrokerCredentials;
  /** What the broker publishes, retained and with quality of service 1, when the connection ends, however it does. */
  readonly will?: { readonly topic: string; readonly payload: string } | undefined;
  readonly listener: MqttListener;
  /** It has ended, or the attempt has failed. Called once; nothing comes after it. */
  onEnd(end: ConnectionEnd): void;
}

export interface ConnectionEnd {
  /** For the operator. */
  readonly reason: string;
  /** How long it was up; undefined: it never was. */
  readonly upMs: number | undefined;
  /** The broker does not know this version of MQTT. */
  readonly isVersionRefused: boolean;
  readonly isLoginRefused: boolean;
}

/** `publish`, `announce`, `room`, `subscribe` and `unsubscribe` as `OutboundMqtt` has them. */
export interface MqttConnection {
  isUp(): boolean;
  /** Only while it is up. */
  publish(topic: string, payload: string, ttlMs?: number): void;
  announce(publication: Publication): boolean;
  room(): Promise<void>;
  subscribe(filters: readonly string[], stored?: 'send' | 'never'): void;
  unsubscribe(filters: readonly string[]): void;
  /** Says goodbye, in at most 2 s, or resets the connection when a command was not taken. Resolves behind `onEnd`. */
  leave(): Promise<void>;
}

const keepAliveSeconds = 10;
const connectMs = 10_000;
const goodbyeMs = 2_000;
/** A broker that knows version 5 sends nothing larger; from others, a larger message ends the connection. */
const largestPacketBytes = 4_194_304;
/** What a broker answers that does not know version 5: 1 in version 3.1.1, 132 in version 5. */
const unknownVersion: ReadonlySet<number> = new Set([1, 132]);
/** The reason of a DISCONNECT of version 5 that has the broker publish the will all the same. */
const leaveWithWill = 4;
/** Messages with quality of service 1 under way at once, of a broker that would take more. */
const announcedAtOnce = 64;

export type ConnectToBroker = (options: MqttConnectionOptions) => MqttConnection;

/** Loads the library. */
export async function loadConnector(): Promise<ConnectToBroker> {
  const { MqttClient } = await import('mqtt');
  return (options) => connect(MqttClient, options);
}

function connect(Client: typeof LibraryClient, options: MqttConnectionOptions): MqttConnection {
  const { clock, address, version, listener } = options;
  const socket = openSocket(address, options.credentials.ca);
  const client = new Client(() => socket.stream, libraryOptions(options));
  /** When it came up, on the monotonic clock. */
  let upAt: number | undefined;
  let hasEnded = false;
  /** Why it ends, once that is known. */
  let reason: string | undefined;
  let isVersionRefused = false;
  let isLoginRefused = false;
  /** From the CONNACK on. */
  let window: SendWindow | undefined;
  let pingsSent = 0;
  let pingsAnswered = 0;
  /** The ping behind the last command: when it is answered, the broker has taken all of them. */
  let commandPing = 0;
  /** Of commands that the broker has not taken for certain. */
  const resets = new Set<() => void>();

  client.on('connect', ({ properties }) => {
    upAt = clock.monotonic();
    window = windowOf(properties?.receiveMaximum);
    listener.onUp();
  });
  client.on('message', (topic, payload, { retain }) => {
    if (!hasEnded) listener.onMessage(topic, payload, retain);
  });
  client.on('packetsend', ({ cmd }) => {
    if (cmd === 'pingreq') pingsSent += 1;
  });
  let unread = 0;
  client.on('packetreceive', ({ cmd }) => {
    unread = 0;
    if (cmd === 'pingresp') pingsAnswered += 1;
  });
  socket.stream.on('data', ({ length }: Buffer) => {
    unread += length;
    if (unread > largestPacketBytes + socket.stream.readableHighWaterMark) breakOff('the broker sent a message that is too large');
  });
  client.on('disconnect', (packet) => {
    reason ??= `the broker ended the connection (${packet.reasonCode ?? 0})`;
  });
  client.on('error', (error) => {
    const code = 'code' in error ? error.code : undefined;
    isVersionRefused ||= version === 5 && typeof code === 'number' && unknownVersion.has(code);
    isLoginRefused ||= upAt === undefined && isLoginRefusal(error);
    reason ??= isVersionRefused ? 'it does not know version 5 of MQTT' : connectFailure(error);
    socket.reset();
  });
  socket.onFailure((error) => {
    reason ??= connectFailure(error);
  });
  client.on('close', () => {
    if (hasEnded) return;
    hasEnded = true;
    for (const cancel of resets) cancel();
    window?.end();
    client.end(true);
    const upMs = upAt === undefined ? undefined : clock.monotonic() - upAt;
    options.onEnd({ reason: reason ?? lossReason(upAt !== undefined), upMs, isVersionRefused, isLoginRefused });
  });

  function windowOf(receiveMaximum = announcedAtOnce): SendWindow {
    return createSendWindow({
      atOnce: Math.min(receiveMaximum, announcedAtOnce),
      send({ topic, payload, retain, qos }, taken) {
        client.publish(topic, payload, { retain, qos }, (error) => {
          if (hasEnded) return;
          if (error) listener.onAnnounceRefused?.(topic, error.message.replace(/^Publish error: /, ''));
          taken();
        });
      },
    });
  }

  function breakOff(why: string): void {
    reason ??= why;
    socket.reset();
  }

  /** Asks for an answer behind the command: when it comes, the broker has taken the command. */
  function resetUnlessTaken(ttlMs: number): void {
    client.sendPing();
    const wanted = pingsSent;
    commandPing = wanted;
    const cancel = clock.timer(ttlMs, () => {
      resets.delete(cancel);
      if (pingsAnswered < wanted) breakOff('the broker did not take a command in time');
    });
    resets.add(cancel);
  }

  return {
    isUp: () => upAt !== undefined && !hasEnded,
    publish(topic, payload, ttlMs) {
      const expires = ttlMs !== undefined && version === 5;
      const properties = expires ? { properties: { messageExpiryInterval: Math.max(1, Math.floor(ttlMs / 1_000)) } } : {};
      client.publish(topic, payload, { qos: 0, retain: false, ...properties });
      if (ttlMs !== undefined) resetUnlessTaken(ttlMs);
    },
    announce: (publication) => window?.add(publication) ?? false,
    room: () => window?.room() ?? Promise.resolve(),
    subscribe(filters, stored) {
      const how = stored === undefined ? {} : { rh: stored === 'never' ? 2 : 0, rap: true, nl: true };
      client.subscribe([...filters], { qos: 0, ...how }, (_error, _granted, suback) => {
        if (hasEnded || suback === undefined) return;
        const refused = filters.filter((_, n) => Number(suback.granted[n]) >= 128);
        if (refused.length > 0) listener.onRefused(refused);
      });
    },
    unsubscribe: (filters) => void client.unsubscribe([...filters]),
    leave: () =>
      new Promise((resolve) => {
        const cancel = clock.timer(goodbyeMs, () => socket.reset());
        client.on('close', () => {
          cancel();
          resolve();
        });
        window?.end();
        // A command that the broker has not taken must not come out of this machine when the process is gone.
        if (upAt === undefined || pingsAnswered < commandPing) socket.reset();
        else client.end(false, options.will === undefined ? {} : { reasonCode: leaveWithWill });
      }),
  };
}

function libraryOptions({ address, version, clientId, credentials: { username, password }, will }: MqttConnectionOptions) {
  return {
    protocolVersion: version,
    protocol: address.isEncrypted ? ('mqtts' as const) : ('mqtt' as const),
    clientId,
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
    ...(will && { will: { ...will, payload: Buffer.from(will.payload), qos: 1 as const, retain: true } }),
  };
}
