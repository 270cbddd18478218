// Gives out ids from a block that was reserved on the disk before, so that no id is given out twice, whatever happens to the files that use
// them. After a crash, ids continue at the end of the block; a clean stop gives the unused rest back.

/** The number in counters.json above which the ids of one kind are unused. */
export interface IdFloor {
  now(): number;
  /** Never lowers it. `storage-unavailable`. */
  raise(upTo: number): Promise<void>;
  set(to: number): Promise<void>;
}

export interface ReservedIds {
  /** Whether `count` ids can be taken at once. */
  has(count: number): boolean;
  /** Gives out the next id; only after `has`. */
  take(): number;
  /** The id that `take` would give out. */
  peek(): number;
  /** Reserves `count` more. `storage-unavailable`. */
  reserve(count: number): Promise<void>;
  /** Before a clean stop: gives back the unused ids. */
  giveBack(): Promise<void>;
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
      // Reserves half a block ahead, so that callers seldom wait; a failure matters only when the block is used up.
      if (reserved - last < blockSize / 2) reserve(1).catch(() => undefined);
      return last;
    },
    peek: () => last + 1,
    reserve,
    async giveBack() {
      await reserving?.catch(() => undefined);
      await floor.set(last);
      reserved = last;
    },
  };
}
