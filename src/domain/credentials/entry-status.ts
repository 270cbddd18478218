// The status of an entry: the difference of what is wanted and what is held, with what stands in its way.
import type { CardId } from './card.ts';
import { type Entry, type EntryReason, type EntryStatus, isSameWindow, type ValidWindow } from './entry.ts';
import { isStranger } from './listed-card.ts';
import type { MemoryLimits } from './lock-memory.ts';
import { isOver } from './wanted.ts';

/** What came of the last tries for this entry in the present run of the gateway. */
export interface Setback {
  /** Three tries ended alike: others follow at longer intervals. */
  readonly hasFailed: boolean;
  /** The lock's word, or how the tries ended. */
  readonly lockError: string;
  /** When it is tried again, by the wall clock. */
  readonly nextDate: number;
}

/** What the status of each entry of a lock depends on besides the entry. */
export interface StatusSurroundings {
  readonly now: number;
  readonly isOnline: boolean;
  /** After a restore, until somebody resumes. */
  readonly isPaused: boolean;
  readonly limits: MemoryLimits;
  setback(entryId: CardId): Setback | undefined;
  /** A card with its number was reported lost: whoever is to have it, no lock gets it. */
  isLost(entry: Entry): boolean;
}

export interface EntryState {
  readonly status: EntryStatus;
  readonly why: EntryReason | null;
  readonly since: number;
  /** With `failed`. */
  readonly lockError: string | null;
  readonly nextDate: number | null;
}

/** The lock's words that are reasons to wait, not failures. */
const waitReasons: Readonly<Record<string, EntryReason>> = {
  'no-space': 'no-space',
  'clock-not-set': 'no-clock',
  'not-supported': 'not-supported',
};

/** @param wanted what should be on the lock */
export function entryState(entry: Entry, wanted: ValidWindow | null, around: StatusSurroundings): EntryState {
  const status = statusOf(entry, wanted, around);
  const missingSince = (status === 'missing' && entry.missingSince) || 0;
  const since = Math.max(entry.held?.since ?? 0, entry.createdAt, missingSince);
  const isWaiting = status === 'pending' || status === 'updating' || status === 'removing';
  const failed = status === 'failed' ? around.setback(entry.entryId) : undefined;
  const whyEnded = status === 'ended' && around.isLost(entry) ? 'lost' : null;
  const why = isWaiting ? whyWaiting(status === 'removing' ? null : wanted, entry, around) : whyEnded;
  return { status, why, since, lockError: failed?.lockError ?? null, nextDate: failed?.nextDate ?? null };
}

function statusOf(entry: Entry, wanted: ValidWindow | null, around: StatusSurroundings): EntryStatus {
  const { managed, missing } = entry;
  if (entry.held?.sure === false) return 'unsure';
  const held = entry.held?.window === null ? null : entry.held;
  if (!managed) return missing ? 'missing' : held === null ? 'noted' : 'on-lock';
  if (missing && wanted !== null) return 'missing';
  if (wanted === null) {
    if (held === null || (held.window !== null && isOver(held.window, around.now) && !isStranger(entry))) return 'ended';
    if (isStranger(entry) && held.before === undefined) return 'stranger';
  }
  if (held !== null && isSameWindow(held.window, wanted)) return 'on-lock';
  const setback = around.setback(entry.entryId);
  if (setback?.hasFailed && waitReasons[setback.lockError] === undefined) return 'failed';
  if (wanted === null) return 'removing';
  return held === null ? 'pending' : 'updating';
}

function whyWaiting(wanted: ValidWindow | null, entry: Entry, { isOnline, isPaused, limits, setback }: StatusSurroundings): EntryReason {
  if (wanted !== null && !isSupported(limits, entry, wanted)) return 'not-supported';
  if (isPaused) return 'paused';
  if (!isOnline) return 'offline';
  return waitReasons[setback(entry.entryId)?.lockError ?? ''] ?? 'turn';
}

/** Whether a lock with these limits can hold it. */
export function isSupported(limits: MemoryLimits, { kind, number }: Pick<Entry, 'kind' | 'number'>, { hours, once }: ValidWindow): boolean {
  if ((hours !== '' && !limits.hours) || (once && !limits.once)) return false;
  if (kind === 'card') return limits.cards;
  const [fewest, most] = limits.passcodeDigits;
  return limits.passcodes && number.length >= fewest && number.length <= most;
}
