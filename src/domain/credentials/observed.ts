// What follows for the entries of a lock from what the lock shows: steps whose outcome was open end, and what somebody changed at the lock
// is seen. Pure functions.
import { sameCard } from './card.ts';
import { type Basis, type Entry, entryKey, type Held, isSameWindow, type ValidWindow } from './entry.ts';
import { isStranger } from './listed-card.ts';
import type { Shown } from './lock-memory.ts';
import { coversWindow, intersectWindows } from './valid-windows.ts';
import { isOver } from './wanted.ts';

/** A lock may forget what has ended by its own clock. */
const clockToleranceMs = 60_000;

/** What is known besides. */
export interface Around {
  readonly now: number;
  readonly basis: Basis;
  wanted(entry: Entry): ValidWindow | null;
  /** Grants want it, besides what was put on the lock directly. */
  isGranted(entry: Entry): boolean;
}

export interface Observation {
  /** Entries that are others now. */
  readonly put: readonly Entry[];
  /** On the lock, and without an entry. */
  readonly strangers: readonly (Shown & { readonly number: string; readonly window: ValidWindow })[];
}

/** What a listing of the whole memory says. */
export function afterListing(entries: readonly Entry[], listing: readonly Shown[], around: Around): Observation {
  const byKey = new Map(
    listing.flatMap((shown) => (shown.number === null ? [] : [[entryKey({ kind: shown.kind, number: shown.number }), shown] as const])),
  );
  const byReference = new Map(listing.flatMap((shown) => (shown.reference === undefined ? [] : [[shown.reference, shown] as const])));
  const hidesSome = listing.some(({ number, reference }) => number === null && reference === undefined);
  const found = new Set<Shown>();
  const put = entries.flatMap((entry) => {
    const shown = byKey.get(entryKey(entry)) ?? byReference.get(entry.held?.reference ?? '');
    if (shown !== undefined) found.add(shown);
    const isHidden = shown === undefined && hidesSome && entry.kind === 'passcode';
    const after = isHidden ? withoutAnswer(entry, around) : afterShown(entry, shown, around);
    return after === entry ? [] : [after];
  });
  const strangers = listing.flatMap((shown) => {
    const { number, window } = shown;
    return number === null || window === undefined || found.has(shown) ? [] : [{ ...shown, number, window }];
  });
  return { put, strangers };
}

/** The lock has shown this entry, or it has shown all and not this. */
function afterShown(entry: Entry, shown: Shown | undefined, around: Around): Entry {
  if (shown === undefined) return seen(entry, null, around);
  // A lock that does not say the dates has them as they were last sent; what is unsure is sent again.
  const window = shown.window ?? (entry.held?.sure === false ? (entry.held.before ?? null) : (entry.held?.window ?? null));
  return seen(entry, window, around);
}

/** The outcome of its step stays unknown: it is as before, so the step is taken again. A one-time code is never sent twice. */
function withoutAnswer(entry: Entry, around: Around): Entry {
  const { held } = entry;
  if (held === null || held.sure) return entry;
  const before = held.before ?? null;
  return { ...entry, used: entry.used || held.window?.once === true, held: before && sure(before, held, around) };
}

/** The entry after the lock has said what it holds under its number: `shown`, or nothing. */
export function seen(entry: Entry, shown: ValidWindow | null, around: Around): Entry {
  const { held } = entry;
  return held === null || held.sure ? afterRest(entry, shown, around) : afterStep(entry, held, shown, around);
}

/** No step was open: what is other than before, somebody changed at the lock. */
function afterRest(entry: Entry, shown: ValidWindow | null, around: Around): Entry {
  const { held } = entry;
  const before = held?.window ?? null;
  const wanted = around.wanted(entry);
  const isUsed = entry.used || (before?.once === true && shown === null);
  const missing = entry.managed ? !isUsed && isMissing(entry, before, shown, wanted, around) : shown === null;
  const accepted = entry.accepted?.as === 'stranger' && !isSameWindow(entry.accepted.window, shown) ? null : entry.accepted;
  const isAsBefore = isSameWindow(before, shown) && missing === entry.missing && isUsed === entry.used && accepted === entry.accepted;
  if (isAsBefore && held?.basis !== 'phone') return entry;
  return { ...entry, ...missingNow(entry, missing, around), accepted, used: isUsed, held: shown && sure(shown, held, around) };
}

/** What the entry says of it, with the date when it is news. */
function missingNow(before: Entry, missing: boolean, { now }: Pick<Around, 'now'>): Pick<Entry, 'missing' | 'missingSince'> {
  return missing && !before.missing ? { missing, missingSince: now } : { missing };
}

/** Whether the lock admits less than it surely did, of what is wanted. */
function isMissing(
  { missing, credentialId }: Entry,
  before: ValidWindow | null,
  shown: ValidWindow | null,
  wanted: ValidWindow | null,
  { now }: Around,
): boolean {
  // Perhaps it is wanted again: then a person decides still.
  if (wanted === null) return missing && credentialId !== null && shown === null;
  if (missing) return shown === null || !coversWindow(shown, wanted);
  if (before === null) return false;
  if (shown === null) return !isOver(before, now + clockToleranceMs);
  const expected = intersectWindows(before, wanted);
  return expected !== null && !coversWindow(shown, expected);
}

/** A step was open. */
function afterStep(entry: Entry, held: Held, shown: ValidWindow | null, around: Around): Entry {
  const { window: sent, before } = held;
  const wanted = around.wanted(entry);
  const now = shown && sure(shown, held, around);
  if (isSameWindow(shown, sent)) return taken(entry, held, now, wanted, around);
  if (sent !== null && shown === null) {
    const isUsed = entry.used || sent.once || before?.once === true;
    const wasThere = before !== undefined && before !== null && !isOver(before, around.now + clockToleranceMs);
    const missing = !isUsed && wanted !== null && (wasThere || entry.missing);
    return { ...entry, used: isUsed, ...missingNow(entry, missing, around), held: null };
  }
  if (before === undefined || before === null || shown === null || isSameWindow(shown, before)) return { ...entry, held: now };
  return { ...entry, held: now, ...missingNow(entry, isMissing(entry, before, shown, wanted, around), around) };
}

/** The lock has done what was sent. */
function taken(entry: Entry, held: Held, now: Held | null, wanted: ValidWindow | null, around: Around): Entry {
  const { window: sent, before } = held;
  if (sent === null) {
    // Somebody asked to take it off, and it is off. What ended by itself stays as it was put.
    const direct = wanted === null ? entry.direct : null;
    return { ...entry, direct, used: entry.used || before?.once === true, missing: false, held: null };
  }
  if (now === null) return { ...entry, held: now };
  if (entry.direct !== null) {
    const isChange = !around.isGranted(entry) && !isSameWindow(wanted, sent);
    return { ...entry, held: now, missing: false, direct: isChange ? sent : entry.direct };
  }
  if (wanted !== null || entry.credentialId !== null) return { ...entry, held: now, missing: false };
  // An add whose caller heard that its outcome is unknown: what was there before is left as it was.
  if (before === undefined) return { ...entry, createdBy: '', held: now };
  return isStranger(entry) && before !== null ? { ...entry, held: { ...now, before } } : { ...entry, held: now };
}

function sure(window: ValidWindow, last: Held | null, { now, basis }: Around): Held {
  const isNews = last === null || !last.sure || !isSameWindow(last.window, window);
  const { reference } = last ?? {};
  return { window, sure: true, since: isNews ? now : last.since, basis, basisDate: now, ...(reference !== undefined && { reference }) };
}

/** The memory of the lock was emptied as a whole: nobody took away one of these. */
export function afterReset(entries: readonly Entry[], around: Pick<Around, 'now' | 'wanted'>): readonly Entry[] {
  return entries.flatMap((entry) => {
    const { held, managed, used } = entry;
    if (held === null && managed) return [];
    if (!managed) return entry.missing ? [] : [{ ...entry, ...missingNow(entry, true, around), held: null }];
    const wasOnce = held?.window?.once === true || held?.before?.once === true;
    const wasTakenOff = held?.sure === false && held.window === null && around.wanted(entry) !== null;
    // Only a phone has said that it was there: perhaps somebody has taken it off at the lock long ago.
    const missing = entry.missing || (held?.basis === 'phone' && !wasOnce && !wasTakenOff);
    const direct = wasTakenOff ? null : entry.direct;
    return [{ ...entry, ...missingNow(entry, missing, around), used: used || wasOnce, held: null, direct }];
  });
}

/**
 * The entries whose outcomes a digest decides: all that was sent was taken, or nothing of it, or all is as it is wanted. undefined: it fits
 * none of these, so the lock must show what it holds.
 */
export function afterDigest(
  entries: readonly Entry[],
  isDigest: (held: readonly { readonly entry: Entry; readonly window: ValidWindow }[]) => boolean,
  around: Around,
): readonly Entry[] | undefined {
  const isUnsure = entries.some(({ held }) => held?.sure === false);
  const asHeld = (entry: Entry) => entry.held?.window ?? null;
  const asBefore = (entry: Entry) => (entry.held?.sure === false ? (entry.held.before ?? null) : asHeld(entry));
  const asWanted = (entry: Entry) => (entry.managed && !isStranger(entry) ? around.wanted(entry) : asHeld(entry));
  for (const windowOf of isUnsure ? [asHeld, asBefore, asWanted] : [asHeld, asWanted]) {
    const all = entries.flatMap((entry) => {
      const window = windowOf(entry);
      return window === null ? [] : [{ entry, window }];
    });
    if (!isDigest(all)) continue;
    return entries.flatMap((entry) => {
      const after = seen(entry, windowOf(entry), around);
      return after === entry ? [] : [after];
    });
  }
  return undefined;
}

/** An entry for a number that was found on the lock. */
export function strangerEntry(
  { kind, number, window, reference }: Observation['strangers'][number],
  { entryId, lockId, now }: { readonly entryId: Entry['entryId']; readonly lockId: Entry['lockId']; readonly now: number },
): Entry {
  const held: Held = { window, sure: true, since: now, basis: 'list', basisDate: now, ...(reference !== undefined && { reference }) };
  return {
    ...{ entryId, lockId, kind, number: kind === 'card' ? sameCard(number) : number, name: '', createdAt: now, createdBy: '' },
    ...{ managed: true, direct: null, credentialId: null, held, missing: false, used: false, accepted: null, scheduleId: null },
  };
}
