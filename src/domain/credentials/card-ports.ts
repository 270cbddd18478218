// The port for cards.
import type { LockId } from '../locks/lock.ts';
import type { CardLookUp, CardsChange, LockCards } from './lock-cards.ts';

export interface CardStore {
  /** The cards of a lock, none for one that is not there; undefined: they have to be read first. */
  inMemory(lockId: LockId): LockCards | undefined;
  /** The same, read when they have to be. `storage-unavailable` when they cannot be read. */
  of(lockId: LockId): Promise<LockCards>;
  /** As LockStore.update: of the changes that `change` gives for the newest cards, all or none are made. It may be asked more than once. */
  update(lockId: LockId, change: (newest: CardLookUp) => CardsChange): Promise<void>;
}
