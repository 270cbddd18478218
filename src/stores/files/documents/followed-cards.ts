// The cards of locks that other nodes change: those in memory follow, all others are read when somebody asks.
import type { LockId } from '../../../domain/locks/lock.ts';
import type { FollowedFolder } from '../followed.ts';
import type { EntryLoader } from './entry-loader.ts';
import { cardFileName } from './entry-row.ts';

/** @param present which locks have a file */
export function createFollowedCards(present: Set<LockId>, loader: Pick<EntryLoader, 'inMemory' | 'forget'>): FollowedFolder {
  return {
    at(name) {
      const lockId = lockIn(name);
      if (lockId === undefined) return undefined;
      const changed = () => () => {
        present.add(lockId);
        // What was damaged may be whole now.
        loader.forget(lockId);
      };
      return loader.inMemory.get(lockId)?.rows ?? { changed };
    },
    gone(name) {
      const lockId = lockIn(name);
      if (lockId === undefined) return;
      present.delete(lockId);
      loader.forget(lockId);
    },
  };
}

function lockIn(name: string): LockId | undefined {
  const digits = cardFileName.exec(name)?.[1];
  return digits === undefined ? undefined : (Number(digits) as LockId);
}
