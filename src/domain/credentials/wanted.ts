// What people want on a lock at an instant: what was put on it directly, and what grants give. Computed, never stored.
import type { GrantedNumber } from '../people/granted-numbers.ts';
import type { PersonId } from '../people/person.ts';
import { windowAt } from '../people/pieces.ts';
import { numberAtReader } from './byte-order.ts';
import { type CredentialKind, type Entry, entryKey, type ValidWindow } from './entry.ts';

/** How long a window that has ended stays on a lock: clocks may differ. */
export const endedStaysMs = 86_400_000;

/** What grants want of one number, under the number that the reader of the lock sees. */
export interface GrantedEntry {
  readonly kind: CredentialKind;
  readonly number: string;
  readonly name: string;
  readonly credentialId: number;
  readonly personIds: readonly PersonId[];
  readonly grantIds: readonly number[];
  readonly windows: readonly ValidWindow[];
}

/** What grants want on a lock, by `entryKey`. */
export type GrantedEntries = ReadonlyMap<string, GrantedEntry>;

/** Adds them to `all`. */
export function addGranted(all: Map<string, GrantedEntry>, one: GrantedNumber, order: 'regular' | 'reverse' | undefined): void {
  const { kind, name, credentialId, personId, grantIds, window } = one;
  const number = kind === 'card' ? numberAtReader(one, order ?? 'regular') : one.number;
  const key = entryKey({ kind, number });
  const same = all.get(key);
  all.set(
    key,
    same === undefined
      ? { kind, number, name, credentialId, personIds: [personId], grantIds, windows: [window] }
      : {
          ...same,
          personIds: [...same.personIds, personId],
          grantIds: [...same.grantIds, ...grantIds],
          windows: [...same.windows, window],
        },
  );
}

/**
 * The window that this number should have on its lock; null: none. Of what a phone has put there it is what the phone is said to have put.
 * `linesAtMost`: how many lines of hours the lock takes.
 */
export function wantedWindow(
  { direct, used }: Pick<Entry, 'direct' | 'used'>,
  granted: GrantedEntry | undefined,
  now: number,
  linesAtMost?: number,
): ValidWindow | null {
  if (used) return null;
  const byGrants = granted?.windows ?? [];
  return windowAt(direct === null ? byGrants : [direct, ...byGrants], now, linesAtMost);
}

/** Whether the window was over by then. */
export function isOver({ endDate }: ValidWindow, then: number): boolean {
  return endDate !== 0 && endDate < then;
}

/**
 * When the wanted window of this entry may be another one by itself: the edges of a direct window that grants overlap, and the time after an
 * end. null: never. Edges of the grants themselves are not in it.
 */
export function nextEdgeOf(entry: Pick<Entry, 'direct' | 'held'>, now: number): number | null {
  const next = Math.min(edgeOf(entry.direct, now), edgeOf(entry.held?.window ?? null, now));
  return next === Number.POSITIVE_INFINITY ? null : next;
}

function edgeOf(window: ValidWindow | null, now: number): number {
  if (window === null) return Number.POSITIVE_INFINITY;
  const { startDate, endDate } = window;
  if (startDate > now) return startDate;
  if (endDate === 0 || endDate + endedStaysMs < now) return Number.POSITIVE_INFINITY;
  return endDate < now ? endDate + endedStaysMs + 1 : endDate + 1;
}
