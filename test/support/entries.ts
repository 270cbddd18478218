// Entries of locks for tests: each says only what matters.
import type { CardId } from '../../src/domain/credentials/card.ts';
import { always, type Entry, type Held, type ValidWindow } from '../../src/domain/credentials/entry.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';

export const anyNow = Date.UTC(2026, 10, 21, 9);

export function someWindow(some: Partial<ValidWindow> = {}): ValidWindow {
  return { ...always, ...some };
}

export function surely(window: ValidWindow = always, since = 1): Held {
  return { window, sure: true, since, basis: 'reply', basisDate: since };
}

/** A step was sent, and its outcome is open. Without `before` it is unknown what was there. */
export function unsurely(window: ValidWindow | null, ...before: readonly (ValidWindow | null)[]): Held {
  const known = before.length === 0 ? {} : { before: before[0] ?? null };
  return { window, sure: false, since: 1, basis: 'reply', basisDate: 1, ...known };
}

/** A card that was put on the lock directly and is there. */
export function someEntry(entryId: number, some: Partial<Entry> = {}): Entry {
  return {
    ...{ entryId: entryId as CardId, lockId: 7 as LockId, kind: 'card', number: String(5_550_000 + entryId), name: `card ${entryId}` },
    ...{ createdAt: 1, createdBy: 'ada', managed: true, direct: always, credentialId: null, held: surely() },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
    ...some,
  };
}

/** Found on the lock: nobody says why it is there. */
export function someStranger(entryId: number, some: Partial<Entry> = {}): Entry {
  return someEntry(entryId, { name: '', createdBy: '', direct: null, ...some });
}
