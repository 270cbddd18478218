// One connection of one lock, as the rest of this folder sees it: without a word of the broker behind it. It may be
// a lock's own or, for a lock behind a hub, a part of its hub's.
import type { DeviceId, LockId } from '../domain/locks/lock.ts';

/** Told apart by object identity: a later connection of the same lock is another object. */
export interface Connection {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  /** Sends to this very connection (QoS 1, not retained); when it has ended, to nobody. */
  publish(topic: string, payload: string): void;
  /** Ends the connection at once. Idempotent. A hub's own connection stays: the lock is offline until its next hello. */
  close(reason: string): void;
  /** Ends what carries it, a hub's connection with all its locks too: what was not acknowledged is then sent again. */
  reconnect(reason: string): void;
  /** A command is under way on what carries it, for this lock or, in a hub's connection, for another. */
  isUrgent(): boolean;
}
