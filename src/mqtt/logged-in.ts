// A connection that has logged in, as the broker sees it, whoever it is: a lock, a hub, or a device that waits to be paired.
import type { DeviceId, LockId } from '../domain/lock.ts';
import type { Clock } from '../domain/ports.ts';
import type { SubscribeDecision } from './access.ts';
import { createAcknowledgements } from './acknowledgements.ts';
import { createInbound, type Inbound, type Opened } from './inbound.ts';

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
  take: Inbound['take'];
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

/** The way in of this connection; `open` says what becomes of a message on a topic. */
export function createIntake(
  connection: LoggedIn,
  transport: Transport,
  { clock, timeoutMs, hold, onRefused, onFailed, onStuck }: Intake,
  open: (topic: string) => Opened,
  maxUnderWay?: () => number,
): Inbound {
  const acknowledgements = createAcknowledgements(transport, { clock, onStuck: () => onStuck(connection) });
  const inbound = createInbound(acknowledgements.send, {
    ...{ clock, timeoutMs, hold, open },
    ...(maxUnderWay !== undefined && { maxUnderWay }),
    onRefused: (reason) => onRefused(connection, reason),
    onFailed: (error) => onFailed(connection, error),
  });
  return {
    take: inbound.take,
    end() {
      acknowledgements.end();
      inbound.end();
    },
  };
}
