// Where the records of each lock lie in an open day, compactly: 20 bytes a record.
import type { LockId } from '../domain/lock.ts';
import type { LinePlace } from './read-lines.ts';

/** The lines of one lock, oldest first. */
export interface LockRun {
  readonly count: number;
  readonly lowest: number;
  readonly highest: number;
  readonly positions: Float64Array;
  readonly lengths: Uint32Array;
  readonly dates: Float64Array;
}

export interface LockRuns {
  /** `length` counts the newline. */
  add(lockId: LockId, position: number, length: number, lockDate: number): void;
  count(): number;
  /** The locks that have lines, lowest first. */
  locks(): LockId[];
  of(lockId: LockId): LockRun | undefined;
  /** Lines of the lock whose lockDate lies between both, included. */
  matching(lockId: LockId, from: number, to: number): number;
  /** Their places, newest first, without the first `skip`, at most `take`. */
  places(lockId: LockId, from: number, to: number, skip: number, take: number): LinePlace[];
}

export function createLockRuns(): LockRuns {
  const runs = new Map<LockId, { -readonly [K in keyof LockRun]: LockRun[K] }>();
  let total = 0;
  return {
    add(lockId, position, length, lockDate) {
      let run = runs.get(lockId);
      if (!run) {
        run = { count: 0, lowest: lockDate, highest: lockDate, ...columns(8) };
        runs.set(lockId, run);
      } else if (run.count === run.dates.length) grow(run);
      run.positions[run.count] = position;
      run.lengths[run.count] = length;
      run.dates[run.count] = lockDate;
      run.count += 1;
      if (lockDate < run.lowest) run.lowest = lockDate;
      if (lockDate > run.highest) run.highest = lockDate;
      total += 1;
    },
    count: () => total,
    locks: () => [...runs.keys()].sort((a, b) => a - b),
    of: (lockId) => runs.get(lockId),
    matching(lockId, from, to) {
      const run = runs.get(lockId);
      if (!run || run.highest < from || run.lowest > to) return 0;
      if (from <= run.lowest && run.highest <= to) return run.count;
      let matching = 0;
      for (let n = 0; n < run.count; n++) if (isWithin(run, n, from, to)) matching += 1;
      return matching;
    },
    places(lockId, from, to, skip, take) {
      const found: LinePlace[] = [];
      const run = runs.get(lockId);
      if (!run) return found;
      let left = skip;
      for (let n = run.count - 1; n >= 0 && found.length < take; n--) {
        if (!isWithin(run, n, from, to)) continue;
        if (left > 0) left -= 1;
        else found.push({ position: run.positions[n] as number, length: run.lengths[n] as number });
      }
      return found;
    },
  };
}

function isWithin(run: LockRun, n: number, from: number, to: number): boolean {
  const date = run.dates[n] as number;
  return from <= date && date <= to;
}

function columns(size: number): Pick<LockRun, 'positions' | 'lengths' | 'dates'> {
  return { positions: new Float64Array(size), lengths: new Uint32Array(size), dates: new Float64Array(size) };
}

function grow(run: { -readonly [K in keyof LockRun]: LockRun[K] }): void {
  const wider = columns(run.dates.length * 2);
  wider.positions.set(run.positions);
  wider.lengths.set(run.lengths);
  wider.dates.set(run.dates);
  Object.assign(run, wider);
}
