// The line to one lock, as the rest of this folder sees it: without a word of the broker behind it. It may be a connection of
// the lock's own or, for a lock behind a hub, a part of its hub's.
import type { DeviceId, LockId } from '../../domain/locks/lock.ts';

/** Each is known by its object identity: a later line to the same lock is another object. */
export interface LockLine {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly isEncrypted: boolean;
  /** Sends over this very line (QoS 1, not retained); when it has ended, to nobody. */
  publish(topic: string, payload: string): void;
  /** Ends the line at once. Idempotent. A hub's own connection stays: the lock is offline until its next hello. */
  close(reason: string): void;
  /** Ends the connection that carries it, a hub's with all its locks too: what was not acknowledged is then sent again. */
  reconnect(reason: string): void;
  /** A command is under way on the connection that carries it, for this lock or, in a hub's connection, for another. */
  isUrgent(): boolean;
}
