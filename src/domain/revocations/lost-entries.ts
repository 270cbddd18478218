// The entries of locks that belong to a lost credential.
import type { Clock } from '../clock.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { EntriesChange, EntryLookUp } from '../credentials/lock-entries.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createBreaks, type NextTurn } from '../people/in-slices.ts';
import type { Revocation } from './revocation.ts';

/** What identifies a lost credential on a lock. */
export type LostCredential = Pick<Revocation, 'credentialId' | 'numbers'>;

/** The entries of this credential, and of its numbers whoever they belong to. */
export function entriesOfLost(entries: EntryLookUp, { credentialId, numbers }: LostCredential): readonly Entry[] {
  const ofCredential = credentialId === null ? [] : entries.byCredential(credentialId);
  const ofNumbers = numbers.flatMap((number) => entries.byNumber('card', number) ?? []);
  return ofNumbers.length === 0 ? ofCredential : [...new Set([...ofCredential, ...ofNumbers])];
}

/** Takes back what was put on a lock directly under one of these numbers, so that nothing wants it there. */
function withoutDirect(newest: EntryLookUp, lost: LostCredential, by: string): EntriesChange {
  const wanted = entriesOfLost(newest, lost).filter(({ direct, managed }) => direct !== null || !managed);
  const isNothingElse = ({ held, credentialId }: Entry): boolean => held === null && credentialId === null;
  return {
    put: wanted
      .filter((entry) => !isNothingElse(entry))
      // The gateway has to remove it now, whoever put it there.
      .map((entry) => ({ ...entry, direct: null, managed: true, createdBy: entry.createdBy || by })),
    remove: wanted.filter(isNothingElse).map(({ entryId }) => entryId),
  };
}

export interface LostEntries {
  /** The locks that know this credential. Cost: a look-up on each lock. */
  locksThatKnow(lost: LostCredential): Promise<readonly LockId[]>;
  /** One write for each of these locks. Rejects with `storage-unavailable`, when all others are written. */
  clear(lockIds: readonly LockId[], lost: LostCredential, by: string): Promise<void>;
}

export function createLostEntries(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly entries: EntryStore;
  readonly locks: Pick<LockStore, 'all' | 'get'>;
  readonly nextTurn: NextTurn;
}): LostEntries {
  const { clock, entries, locks, nextTurn } = options;

  async function knows(lockId: LockId, lost: LostCredential): Promise<boolean> {
    try {
      return entriesOfLost(entries.inMemory(lockId) ?? (await entries.of(lockId)), lost).length > 0;
    } catch {
      // Its entries cannot be read, so it may.
      return true;
    }
  }
  return {
    async locksThatKnow(lost) {
      const found: LockId[] = [];
      // The first look-up on a lock indexes all of its entries.
      const rest = createBreaks(clock, nextTurn);
      for (const { lockId } of locks.all()) {
        const known = entries.inMemory(lockId);
        const isKnown = known === undefined ? await knows(lockId, lost) : entriesOfLost(known, lost).length > 0;
        if (isKnown) found.push(lockId);
        await rest();
      }
      return found;
    },

    async clear(lockIds, lost, by) {
      const registered = lockIds.filter((lockId) => locks.get(lockId) !== undefined);
      const written = await Promise.allSettled(
        registered.map((lockId) => entries.update(lockId, (newest) => withoutDirect(newest, lost, by))),
      );
      const failed = written.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}
