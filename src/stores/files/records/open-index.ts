// The positions of each lock's records in an open day, in a compact form.
import type { LockId } from '../../../domain/locks/lock.ts';
import { Dates } from './dates.ts';
import type { LinePlace } from './read-lines.ts';

/** The lines of one lock, oldest first. */
export interface OpenRun {
  readonly positions: Float64Array;
  readonly lengths: Uint32Array;
  /** Their lockDates, and their number. */
  readonly dates: Dates;
}

export interface OpenIndex {
  /** `length` includes the newline. */
  add(lockId: LockId, position: number, length: number, lockDate: number): void;
  count(): number;
  /** The locks that have lines, in ascending order. */
  locks(): LockId[];
  of(lockId: LockId): OpenRun | undefined;
  /** The number of the lock's lines whose lockDate lies between both (inclusive). */
  matching(lockId: LockId, from: number, to: number): number;
  /** The places of these lines, newest first, without the first `skip`, at most `take`. */
  places(lockId: LockId, from: number, to: number, skip: number, take: number): LinePlace[];
}

export function createOpenIndex(): OpenIndex {
  const runs = new Map<LockId, { -readonly [K in keyof OpenRun]: OpenRun[K] }>();
  let total = 0;
  return {
    add(lockId, position, length, lockDate) {
      let run = runs.get(lockId);
      if (!run) {
        run = { dates: new Dates(), positions: new Float64Array(8), lengths: new Uint32Array(8) };
        runs.set(lockId, run);
      }
      const n = run.dates.count;
      run.dates.add(lockDate);
      if (n === run.positions.length) grow(run);
      run.positions[n] = position;
      run.lengths[n] = length;
      total += 1;
    },
    count: () => total,
    locks: () => [...runs.keys()].sort((a, b) => a - b),
    of: (lockId) => runs.get(lockId),
    matching: (lockId, from, to) => runs.get(lockId)?.dates.matching(from, to) ?? 0,
    places(lockId, from, to, skip, take) {
      const run = runs.get(lockId);
      if (!run) return [];
      const { positions, lengths } = run;
      return run.dates.newest(from, to, skip, take).map((n) => ({ position: positions[n] as number, length: lengths[n] as number }));
    },
  };
}

function grow(run: { -readonly [K in keyof OpenRun]: OpenRun[K] }): void {
  const positions = new Float64Array(run.positions.length * 2);
  const lengths = new Uint32Array(positions.length);
  positions.set(run.positions);
  lengths.set(run.lengths);
  Object.assign(run, { positions, lengths });
}
