// How many entries of each status there are: counted for a lock when it is looked at, never for all locks at once.
import type { Entry, EntryStatus } from './entry.ts';
import type { EntryState } from './entry-status.ts';
import { nextEdgeOf } from './wanted.ts';
import type { WantedView } from './wanted-view.ts';

export interface EntrySummary {
  readonly byStatus: ReadonlyMap<EntryStatus, number>;
  /** What a person should look at: missing, or a stranger that nobody has accepted. */
  readonly differing: number;
  /** Since when the oldest one waits; null: none does. */
  readonly waitingSince: number | null;
  /** How many have failed three times and are tried again at longer and longer intervals. */
  readonly failing: number;
  /** When something else may be wanted by itself, by the wall clock; null: never. */
  readonly nextEdge: number | null;
}

/** Of the locks that were looked at since the start. */
export interface EntryStats {
  readonly entries: Readonly<Record<EntryStatus, number>>;
  /** Since when the oldest one waits; null: none does. */
  readonly oldestPendingDate: number | null;
  /** As of each lock. */
  readonly failing: number;
}

const zero: EntryStats['entries'] = {
  ...{ 'on-lock': 0, pending: 0, updating: 0, removing: 0, unsure: 0, failed: 0, missing: 0, stranger: 0, noted: 0, ended: 0 },
};

const waitingStatuses: readonly EntryStatus[] = ['pending', 'updating', 'removing', 'unsure', 'failed'];

const entriesAtOnce = 100;

/** It yields now and then. */
export function* entrySummary(
  entries: readonly Entry[],
  { now, grantsEdge }: Pick<WantedView, 'now' | 'grantsEdge'>,
  stateOf: (entry: Entry) => EntryState,
  failing: number,
): Generator<undefined, EntrySummary> {
  const byStatus = new Map<EntryStatus, number>();
  let differing = 0;
  let waitingSince: number | null = null;
  let nextEdge = grantsEdge;
  let seen = 0;
  for (const entry of entries) {
    if (++seen % entriesAtOnce === 0) yield;
    const { status, since } = stateOf(entry);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    if (status === 'missing' || (status === 'stranger' && entry.accepted === null)) differing += 1;
    if (waitingStatuses.includes(status)) waitingSince = Math.min(waitingSince ?? since, since);
    const edge = nextEdgeOf(entry, now);
    if (edge !== null) nextEdge = Math.min(nextEdge ?? edge, edge);
  }
  return { byStatus, differing, waitingSince, failing, nextEdge };
}

/** Whether each status has as many entries in both. */
export function isSameCount({ byStatus: one }: EntrySummary, { byStatus: other }: EntrySummary): boolean {
  return one.size === other.size && [...one].every(([status, count]) => other.get(status) === count);
}

/** The sum over locks; each is in it once. */
export function joinSummaries(): {
  replace(before: EntrySummary | undefined, after: EntrySummary | undefined): void;
  stats(): EntryStats;
} {
  const counts = { ...zero };
  let failing = 0;
  const waiting = new Set<EntrySummary>();
  const add = (summary: EntrySummary | undefined, sign: 1 | -1): void => {
    for (const [status, count] of summary?.byStatus ?? []) counts[status] += sign * count;
    failing += sign * (summary?.failing ?? 0);
  };
  return {
    replace(before, after) {
      add(before, -1);
      add(after, 1);
      if (before !== undefined) waiting.delete(before);
      if (after !== undefined && after.waitingSince !== null) waiting.add(after);
    },
    stats() {
      let oldest: number | null = null;
      for (const { waitingSince } of waiting) if (waitingSince !== null) oldest = Math.min(oldest ?? waitingSince, waitingSince);
      return { entries: { ...counts }, oldestPendingDate: oldest, failing };
    },
  };
}
