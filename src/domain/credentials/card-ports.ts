// The port for cards.
import type { LockId } from '../locks/lock.ts';
import type { CardLookUp, CardsChange, LockCards } from './lock-cards.ts';

export interface CardStore {
  /** The cards of a lock, none for an unknown lock; undefined: they must be read first. */
  inMemory(lockId: LockId): LockCards | undefined;
  /** The cards of a lock, read from the disk if necessary. Rejects with `storage-unavailable` when they cannot be read. */
  of(lockId: LockId): Promise<LockCards>;
  /** As LockStore.update: makes all changes that `change` returns for the newest cards, or none. It may call `change` more than once. */
  update(lockId: LockId, change: (newest: CardLookUp) => CardsChange): Promise<void>;
}
