// The ports for the stored data of locks.
import type { DomainError } from '../errors.ts';
import type { BatteryLevel, DeviceId, Lock, LockId, LockStatus } from './lock.ts';
import type { RemovedLock } from './removed-lock.ts';

/** A local view of all locks with their rights and keys, which follows every change: the check of an unlock waits for no disk. */
export interface LocalLockView {
  /** Every lock, by lockId ascending. The same array until something changes. */
  all(): readonly Lock[];
  get(lockId: LockId): Lock | undefined;
  byDevice(deviceId: DeviceId): Lock | undefined;
  /** Whether a lock with this MAC address is registered but its document is damaged: the address is not free. */
  isDisabled(deviceId: DeviceId): boolean;
}

export interface LockStore extends LocalLockView {
  add(lock: Lock): Promise<void>;
  /**
   * Applies `change` to the newest value, one change at a time. Rejects with what `change` throws, and writes nothing then; or with
   * `lock-not-found`.
   */
  update(lockId: LockId, change: (lock: Lock) => Lock): Promise<Lock>;
  /**
   * Removes the lock with its entries and roles. If it rejects, the lock is still there, unchanged. If it resolves with an error,
   * the lock is removed, and the error says what is left of it and what happens to that.
   */
  remove(lockId: LockId): Promise<DomainError | undefined>;
}

/**
 * A local view of the data of removed locks, which follows every change: it says who may still read their records. A lock is in it for as
 * long as its records may exist.
 */
export interface LocalRemovedLockView {
  /** In the order of removal. The same array until something changes. */
  all(): readonly RemovedLock[];
  get(lockId: LockId): RemovedLock | undefined;
}

export interface RemovedLockStore extends LocalRemovedLockView {
  /**
   * Called before the lock is removed. If the lock still exists at the next start, that start deletes this entry; else it deletes what is
   * left of the lock.
   */
  add(removed: RemovedLock): Promise<void>;
  /** The lock was not removed after all. */
  forget(lockId: LockId): Promise<void>;
}

/**
 * A local view of what each lock reported last: state, battery, last contact. A report changes the view itself, and the next command sees
 * it at once. The store writes it within seconds, because the lock reports again what a power cut takes.
 */
export interface LocalStatusView {
  get(lockId: LockId): LockStatus;
  patch(lockId: LockId, change: Partial<LockStatus>): void;
}

export interface StatusStore extends LocalStatusView {
  /** Forgets a removed lock. Never rejects: what cannot be written now is written with the next change. */
  remove(lockId: LockId): Promise<void>;
}

/** Battery levels: a change is visible at once, and durable within the hour and at a clean stop. */
export interface BatteryStore {
  /** Oldest first. Rejects with `storage-unavailable`. */
  levels(lockId: LockId): Promise<readonly BatteryLevel[]>;
  /** Applies `change` to the newest levels of this lock, one change at a time. Rejects with `storage-unavailable`. */
  update(lockId: LockId, change: (levels: readonly BatteryLevel[]) => readonly BatteryLevel[]): Promise<void>;
  remove(lockId: LockId): Promise<void>;
}
