// Ids that are taken from a block that was reserved on the disk before, so that none is given twice, whatever happens to the files they are
// used in. A crash leaps to the end of the block; a clean stop gives the rest of it back.

/** The number in counters.json above which the ids of one kind are free. */
export interface IdFloor {
  now(): number;
  /** Never lowers it. `storage-unavailable`. */
  raise(upTo: number): Promise<void>;
  set(to: number): Promise<void>;
}

export interface ReservedIds {
  /** Whether `count` ids can be taken at once. */
  has(count: number): boolean;
  /** The next one; only after `has`. */
  take(): number;
  /** The id that `take` would give. */
  peek(): number;
  /** Makes room for `count` more. `storage-unavailable`. */
  reserve(count: number): Promise<void>;
  /** Before a clean stop: gives back what was not taken. */
  settle(): Promise<void>;
}

/** `blockSize`: each block costs a flush of counters.json. `highestSeen`: the highest id that is in use. */
export function createReservedIds(floor: IdFloor, blockSize: number, highestSeen: number): ReservedIds {
  let last = Math.max(highestSeen, floor.now());
  let reserved = last;
  let reserving: Promise<void> | undefined;

  function reserve(count: number): Promise<void> {
    reserving ??= (async () => {
      const upTo = last + Math.max(count, blockSize);
      await floor.raise(upTo);
      reserved = upTo;
    })().finally(() => {
      reserving = undefined;
    });
    return reserving;
  }
  return {
    has: (count) => last + count <= reserved,
    take() {
      last += 1;
      // Half a block ahead, so that takers seldom wait; a failure shows when the block is really used up.
      if (reserved - last < blockSize / 2) reserve(1).catch(() => undefined);
      return last;
    },
    peek: () => last + 1,
    reserve,
    async settle() {
      await reserving?.catch(() => undefined);
      await floor.set(last);
      reserved = last;
    },
  };
}
