// One connection of one lock, as the rest of this folder sees it: without a word of the broker behind it.
import type { DeviceId, LockId } from '../domain/lock.ts';

/** Told apart by object identity: a later connection of the same lock is another object. */
export interface Connection {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  /** Sends to this very connection (QoS 1, not retained); when it has ended, to nobody. */
  publish(topic: string, payload: string): void;
  /** Ends the connection at once. Idempotent. */
  close(reason: string): void;
}
