// Which remote commands of which lock have named somebody in a record, so that each does so once, however often its lock shows the id.
import type { LockId } from '../locks/lock.ts';
import { addSeq, includesSeq, removeSeq, type SeqRanges } from './seq-ranges.ts';

/**
 * Limit per lock. Numbers of commands rise, and each gap between two ranges is of commands that have named nobody: their event never came,
 * or has not come yet. When there are more, the lowest gap counts as used: events that old name nobody.
 */
export const mostCommandRanges = 256;

/** The used commands of one lock in the form that an index stores. */
export interface RememberedCommands {
  readonly lockId: LockId;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

export interface UsedCommands {
  /** False when the number has been used already, or may have been. */
  use(lockId: LockId, number: number): boolean;
  /** Releases a number whose record was not stored after all. */
  giveBack(lockId: LockId, number: number): void;
  /** All used numbers except those that are being written, for an index. */
  remembered(underWay: ReadonlyMap<LockId, readonly number[]>): RememberedCommands[];
  /** Adds what an index has stored. */
  load(commands: readonly RememberedCommands[]): void;
  /** Forgets all numbers of a lock. */
  forget(lockId: LockId): void;
}

export function createUsedCommands(): UsedCommands {
  const locks = new Map<LockId, SeqRanges>();

  return {
    use(lockId, number) {
      const ranges = locks.get(lockId);
      if (ranges === undefined) {
        locks.set(lockId, [[number, number]]);
        return true;
      }
      if (includesSeq(ranges, number)) return false;
      addSeq(ranges, number);
      const [lowest, second] = ranges;
      if (ranges.length > mostCommandRanges && lowest && second) ranges.splice(0, 2, [lowest[0], second[1]]);
      return true;
    },
    giveBack(lockId, number) {
      const ranges = locks.get(lockId);
      if (ranges) removeSeq(ranges, number);
    },
    remembered(underWay) {
      const all = [...locks].map(([lockId, ranges]) => {
        const flushed = ranges.map(([from, to]): [number, number] => [from, to]);
        for (const number of underWay.get(lockId) ?? []) removeSeq(flushed, number);
        return { lockId, ranges: flushed };
      });
      return all.filter(({ ranges }) => ranges.length > 0).sort((a, b) => a.lockId - b.lockId);
    },
    load(commands) {
      for (const { lockId, ranges } of commands) {
        locks.set(
          lockId,
          ranges.map(([from, to]): [number, number] => [from, to]),
        );
      }
    },
    forget: (lockId) => void locks.delete(lockId),
  };
}
