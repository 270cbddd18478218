// A connection that has logged in, as the broker sees it, whoever it is: a lock, a hub, or a device that waits to be paired.

import type { DeviceId, LockId } from '../domain/locks/lock.ts';
import type { Clock } from '../domain/ports.ts';
import type { SubscribeDecision } from './client-handlers.ts';
import { Inbound, type InboundOwner, type InboundPacket, type Opened, usualUnderWay } from './inbound-pipeline.ts';
import { Acknowledgements } from './puback-writer.ts';

/** The connection as the broker holds it. */
export interface Transport {
  publish(topic: string, payload: string): void;
  /** All that is written in one step goes out together. */
  write(packet: Buffer, whenTaken?: () => void): void;
  /** Written and not yet taken by the other side. */
  unreadBytes(): number;
  close(): void;
}

export interface LoggedIn {
  readonly deviceId: DeviceId;
  /** For a lock with a login of its own. */
  readonly lockId?: LockId;
  /** It has not ended, and no later connection has taken its place. */
  isCurrent(): boolean;
  /** A command is under way on it: its reply goes before what others say. */
  isUrgent(): boolean;
  take(packet: InboundPacket, callback: (error?: Error) => void): void;
  maySubscribe(filter: string): SubscribeDecision;
  mayReceive(topic: string): boolean;
  /** The socket is gone or going: everything that hangs on it ends. Idempotent. */
  ended(reason: string): void;
  close(reason: string): void;
}

/** What all of them have in common on their way in. */
export interface Intake {
  readonly clock: Clock;
  /** Longest wait for one message. */
  readonly timeoutMs: number;
  /** So many bytes wait for the disk, until the returned function is called. */
  hold(bytes: number): () => void;
  /** An illegal publish, or too many messages under way: closes the connection. */
  onRefused(connection: LoggedIn, reason: string): void;
  /** The handling threw, rejected or took too long: closes the connection. */
  onFailed(connection: LoggedIn, error: unknown): void;
  /** The other side does not take what it is sent: closes the connection. */
  onStuck(connection: LoggedIn): void;
}

/** What the way in asks of a connection. */
export interface Speaking extends LoggedIn {
  /** What becomes of a message on this topic. */
  open(topic: string): Opened;
  maxUnderWay?(): number;
}

/** The way in of one connection. A class, for its methods are shared: there are thousands. */
export class WayIn implements InboundOwner {
  readonly #connection: Speaking;
  readonly #intake: Intake;
  readonly #acknowledgements: Acknowledgements;
  readonly #inbound: Inbound;

  constructor(connection: Speaking, transport: Transport, intake: Intake) {
    this.#connection = connection;
    this.#intake = intake;
    this.#acknowledgements = new Acknowledgements(transport, intake.clock, this);
    this.#inbound = new Inbound(this, intake);
  }

  take(packet: InboundPacket, callback: (error?: Error) => void): void {
    this.#inbound.take(packet, callback);
  }

  end(): void {
    this.#acknowledgements.end();
    this.#inbound.end();
  }

  open(topic: string): Opened {
    return this.#connection.open(topic);
  }

  maxUnderWay(): number {
    return this.#connection.maxUnderWay?.() ?? usualUnderWay;
  }

  acknowledge(messageIds: readonly number[]): void {
    this.#acknowledgements.send(messageIds);
  }

  onRefused(reason: string): void {
    this.#intake.onRefused(this.#connection, reason);
  }

  onFailed(error: unknown): void {
    this.#intake.onFailed(this.#connection, error);
  }

  onStuck(): void {
    this.#intake.onStuck(this.#connection);
  }
}
