// What the broker asks of those who speak with its clients: which client may log in, and what becomes of what it says. The broker itself
// knows MQTT and nothing of locks.
import type { Origin } from '../domain/origin.ts';

/** The members of a CONNECT that decide who logs in. */
export interface ConnectRequest {
  readonly clientId: string;
  readonly username?: string | undefined;
  readonly password?: Buffer | undefined;
  readonly protocolId?: string;
  readonly protocolVersion?: number;
  /** The highest bit of the protocol version was set. */
  readonly bridgeMode?: boolean;
  /** Seconds. */
  readonly keepalive?: number;
  /** As it was sent: its session is clean in any case. */
  readonly clean?: boolean;
  readonly will?: { readonly topic: string; readonly payload: Buffer | string; readonly qos?: number; readonly retain?: boolean };
}

/** Where a connection came in; a WebSocket counts as `mqtt`. */
export type ListenerName = 'mqtt' | 'mqtts' | 'devices';

/** The connection of a client, as its handler uses it. */
export interface ClientConnection {
  readonly origin: Origin;
  readonly listener: ListenerName;
  readonly isEncrypted: boolean;
  /** It came in at another node, which passes it on. */
  readonly isRelayed: boolean;
  /** False from the first end of it: by `close`, by the client, or because the socket has closed. */
  isOpen(): boolean;
  /** Milliseconds since the last byte of the client was read. */
  silentMs(): number;
  /**
   * Sends with this quality of service, 1 unless told, not retained. When the connection has ended, or its handler's `mayReceive` says no,
   * nothing is sent; nor to a client whose handler has `onSubscribed`, on a topic that it has not subscribed to.
   */
  publish(topic: string, payload: string, qos?: 0 | 1): void;
  /** Ends the connection at once: `onClose` is called before this returns, then the socket is closed. Idempotent. */
  close(reason: string): void;
  /** Ends the connection like `close`, but by a TCP reset: what the kernel still holds is never delivered. Also under TLS. */
  reset(reason: string): void;
}

/** A CONNECT that is refused. */
export interface Rejection {
  readonly allow: false;
  /** The CONNACK return code. */
  readonly code: 1 | 2 | 3 | 4 | 5;
  /** From a closed list, never text from outside: rejections are counted by it. */
  readonly reason: string;
  /** Nobody has proved an identity: a network that repeats it is slowed down. */
  readonly failedLogin: boolean;
  /** Names the client in the log. Never what may be a key. */
  readonly identity?: object;
}

export type Authentication = { readonly allow: true; readonly client: ClientHandler } | Rejection;

/** `leave`: no PUBACK, for what could not be stored; the client keeps it and sends it again. */
export type Receipt = 'acknowledge' | 'leave';

/** A publish that is illegal: it costs the client its connection. Counted by the reason, which is from a closed list. */
export interface PublishRejection {
  readonly allow: false;
  readonly reason: string;
}

/** Of a PUBLISH as the client sent it. Nothing is retained. */
export interface PublishFlags {
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

export type SubscribeDecision = { readonly allow: true } | { readonly allow: false; readonly reason: string };

/**
 * What one client may do and says, from its login to its end. One for each connection: a class where there are thousands. It decides alone
 * which client id, keep alive, will and clean flag are good: each session is clean and dies with its connection, and no will is published.
 */
export interface ClientHandler {
  /** The name under which the broker has its session: a later connection with the same one takes it over. */
  readonly clientId: string;
  /** Names the client in the log; lines about it are limited by `deviceId`. */
  identity(): { readonly deviceId: string };
  /** Asked right before its CONNACK: false when it was removed or given another key since `authenticate`. */
  isWelcome(): boolean;
  /** Somebody waits for what this client says next: it is read before what others say. */
  isUrgent(): boolean;
  /** How many messages may wait to be handled; what is usual when it does not say. More wait behind them for their PUBACKs alone. */
  maxUnderWay?(): number;
  /** Seconds; watched in place of the keep alive of its CONNECT. */
  readonly keepAliveSeconds?: number;
  /**
   * TCP keep alive proves its life, for its keep alive is 0: it ends after 13 s without an answer from its machine; when something that was
   * sent is not acknowledged, only when the kernel gives that up, after a quarter of an hour.
   */
  readonly usesTcpKeepAlive?: boolean;
  /** Whoever of us ends its connection does so by a reset, so that nothing that was sent to it arrives after the end. */
  readonly endsByReset?: boolean;
  authorizeSubscribe(filter: string): SubscribeDecision;
  /** The second look at what is sent to it, right before it is. */
  mayReceive(topic: string): boolean;
  /** Called in the order of arrival. Takes effect before it returns; only what must be on the disk first is a promise. Rejects for a bug. */
  onPublish(topic: string, payload: Buffer, flags: PublishFlags): Receipt | Promise<Receipt> | PublishRejection;
  /** It has subscribed to this filter, with success, and its SUBACK goes out before all that is published to it from now on. */
  onSubscribed?(filter: string): void;
  /** The connection has ended; called once. What it says no longer counts, and what is published to it goes nowhere. */
  onClose(reason: string): void;
}

export interface ClientHandlers {
  /**
   * Decides about a CONNECT. As soon as this has returned the connection can be closed, also while its login is still under way; an earlier
   * connection of the same client is for the handlers to close.
   */
  authenticate(request: ConnectRequest, connection: ClientConnection): Authentication;
}
