// The ports for what is stored of locks.
import type { DomainError } from '../errors.ts';
import type { BatteryLevel, DeviceId, Lock, LockId, LockStatus } from './lock.ts';
import type { RemovedLock } from './removed-lock.ts';

/** A local view of all locks with their rights and keys, which follows every change: an unlock waits for no disk to know who may. */
export interface LocalLockView {
  /** Every lock, by lockId ascending. The same array until something changes. */
  all(): readonly Lock[];
  get(lockId: LockId): Lock | undefined;
  byDevice(deviceId: DeviceId): Lock | undefined;
  /** A lock with this MAC address was registered, and its document is damaged: the address is not free. */
  isDisabled(deviceId: DeviceId): boolean;
}

export interface LockStore extends LocalLockView {
  add(lock: Lock): Promise<void>;
  /** Applies `change` to the newest value, in turn; what `change` throws is rejected and nothing is written. `lock-not-found` when it is gone. */
  update(lockId: LockId, change: (lock: Lock) => Lock): Promise<Lock>;
  /**
   * Removes the lock with its cards, intents and roles. Rejects: it is there as before. Resolves with an error: the lock is gone, and the error says
   * what is left of it and what becomes of that.
   */
  remove(lockId: LockId): Promise<DomainError | undefined>;
}

/** What stays of locks that were removed, until their records may be gone. What is read is a local view: it says who may still read those records. */
export interface RemovedLockStore {
  /** In the order of removal. The same array until something changes. */
  all(): readonly RemovedLock[];
  get(lockId: LockId): RemovedLock | undefined;
  /** Before the lock is removed. Of a lock that is there all the same, the next start forgets it; what is left of one that is gone it deletes. */
  add(removed: RemovedLock): Promise<void>;
  /** The lock was not removed after all. */
  forget(lockId: LockId): Promise<void>;
}

/** Last state, battery, last seen: a local view. A change is seen at once and durable within seconds; the lock says them again. */
export interface StatusStore {
  get(lockId: LockId): LockStatus;
  patch(lockId: LockId, change: Partial<LockStatus>): void;
  remove(lockId: LockId): void;
}

/** The levels of batteries: durable within the hour and at a clean stop; who reads sees a change at once. */
export interface BatteryStore {
  /** Oldest first. `storage-unavailable`. */
  levels(lockId: LockId): Promise<readonly BatteryLevel[]>;
  /** Applies `change` to the newest levels of this lock, in turn. `storage-unavailable`. */
  update(lockId: LockId, change: (levels: readonly BatteryLevel[]) => readonly BatteryLevel[]): Promise<void>;
  remove(lockId: LockId): Promise<void>;
}
