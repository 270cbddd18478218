// The entries that grants make and end: each granted number has one, and one that nobody wants and the lock does not hold is forgotten.
import type { CounterStore } from '../counters.ts';
import type { LockId } from '../locks/lock.ts';
import type { Slices } from '../people/in-slices.ts';
import type { CardId } from './card.ts';
import type { Entry } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { type EntriesChange, type EntryLookUp, joined, type LockEntries, type PastHolder } from './lock-entries.ts';
import { entriesAtOnce } from './memory-check.ts';
import type { GrantedEntry } from './wanted.ts';
import type { WantedView } from './wanted-view.ts';

interface FollowPorts {
  readonly entries: EntryStore;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly slices: Slices;
}

/** Makes the entries that grants want, and forgets those that nobody wants and the lock does not hold. Resolves with what there is then. */
export async function followGrants({ entries, counters, slices }: FollowPorts, lockId: LockId, view: WantedView): Promise<LockEntries> {
  const there = await entries.of(lockId);
  const numbers = await slices.run(withoutEntry(there, view));
  for (let from = 0; from < numbers.length; from += entriesAtOnce) {
    const made: Entry[] = [];
    for (const one of numbers.slice(from, from + entriesAtOnce)) {
      const entry = grantedEntryOf(one, (await counters.next('cardId')) as CardId, lockId, view.now);
      made.push({ ...entry, ...missingAlready(one, there) });
    }
    await entries.update(lockId, (newest) => ({ put: made.filter(({ kind, number }) => newest.byNumber(kind, number) === undefined) }));
  }
  const changed = await slices.run(changedByGrants(there, view));
  for (let from = 0; from < changed.length; from += entriesAtOnce) {
    const some = changed.slice(from, from + entriesAtOnce);
    await entries.update(lockId, (newest) =>
      joined(some.flatMap((entry) => (newest.byId(entry.entryId) === entry ? [followed(entry, newest, view)] : []))),
    );
  }
  return numbers.length + changed.length === 0 ? there : entries.of(lockId);
}

/** Granted numbers without an entry. It yields now and then. */
function* withoutEntry(there: EntryLookUp, { granted }: Pick<WantedView, 'granted'>): Generator<undefined, readonly GrantedEntry[]> {
  const found: GrantedEntry[] = [];
  let seen = 0;
  for (const one of granted.values()) {
    if (++seen % entriesAtOnce === 0) yield;
    if (there.byNumber(one.kind, one.number) === undefined) found.push(one);
  }
  return found;
}

/** It yields now and then. */
function* changedByGrants(there: LockEntries, view: WantedView): Generator<undefined, readonly Entry[]> {
  const found: Entry[] = [];
  let seen = 0;
  for (const entry of there.entries) {
    if (++seen % entriesAtOnce === 0) yield;
    if (followed(entry, there, view) !== unchanged) found.push(entry);
  }
  return found;
}

/**
 * Its credential is missing here under the number that the reader gave until now: what somebody took away at the lock does not come back
 * under another number.
 */
function missingAlready({ credentialId }: GrantedEntry, there: EntryLookUp): Partial<Pick<Entry, 'missing' | 'missingSince'>> {
  const before = there.byCredential(credentialId).find(({ missing }) => missing);
  if (before === undefined) return {};
  const { missing, missingSince } = before;
  return missingSince === undefined ? { missing } : { missing, missingSince };
}

function grantedEntryOf({ kind, number, name, credentialId }: GrantedEntry, entryId: CardId, lockId: LockId, now: number): Entry {
  return {
    ...{ entryId, lockId, kind, number, name, createdAt: now, createdBy: '', managed: true, direct: null, credentialId, held: null },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
  };
}

const unchanged: EntriesChange = {};

/** What grants change of one entry. `current` is asked for past holders only. */
function followed(entry: Entry, current: Pick<EntryLookUp, 'past'>, view: WantedView): EntriesChange {
  const granted = view.grantedOf(entry);
  if (granted === undefined) {
    const isLeft = isIdle(entry, view) && !view.isGrantedNow(entry);
    return isLeft ? { remove: [entry.entryId], past: pastOf(entry, current, view.now) } : unchanged;
  }
  const { credentialId } = granted;
  const name = entry.direct === null ? granted.name : entry.name;
  if (entry.credentialId === credentialId && entry.name === name) return unchanged;
  const past = entry.name === name || entry.name === '' ? [] : pastOf(entry, current, view.now);
  return { put: [{ ...entry, credentialId, name }], past };
}

/**
 * Wanted by nobody, and surely not on the lock. What somebody took away there is remembered while it is lost or its person is suspended: the
 * end of that does not put it back.
 */
function isIdle(entry: Entry, { urgency }: Pick<WantedView, 'urgency'>): boolean {
  const { direct, held, missing } = entry;
  if (missing && urgency(entry) !== undefined) return false;
  return direct === null && (held === null || (held.sure && held.window === null));
}

/** For events of before that the lock has not told yet. */
function pastOf({ entryId, kind, number, name, createdAt }: Entry, current: Pick<EntryLookUp, 'past'>, now: number): PastHolder[] {
  if (kind !== 'card' || name === '') return [];
  const from = current.past(number).findLast((before) => before.cardId === entryId)?.to ?? createdAt;
  return [{ cardId: entryId, cardNumber: number, name, from, to: now }];
}
