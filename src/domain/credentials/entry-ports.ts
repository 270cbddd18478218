// The port for the entries of locks.
import type { LockId } from '../locks/lock.ts';
import type { EntriesChange, EntryLookUp, LockEntries } from './lock-entries.ts';

export interface EntryStore {
  /** The entries of a lock, none for an unknown lock; undefined: they must be read first. */
  inMemory(lockId: LockId): LockEntries | undefined;
  /** The entries of a lock, read from the disk if necessary. Rejects with `storage-unavailable` when they cannot be read. */
  of(lockId: LockId): Promise<LockEntries>;
  /**
   * As LockStore.update: makes all changes that `change` returns for the newest entries, or none. It may call `change` more than once. It
   * emits `entry-changed` for each entry that is another one afterwards.
   */
  update(lockId: LockId, change: (newest: EntryLookUp) => EntriesChange): Promise<void>;
}
