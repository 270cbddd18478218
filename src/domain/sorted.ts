// Arrays that stay sorted with each change, so that no reader has to sort them.

/** The index of the first item whose key is at least `key`; the length when there is none. */
export function placeInSorted<T>(sorted: readonly T[], key: number, keyOf: (item: T) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(sorted[middle] as T) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts the item behind all items with the same or a lower key. */
export function insertSorted<T>(sorted: T[], item: T, keyOf: (item: T) => number): void {
  const last = sorted.at(-1);
  // A new item nearly always has the highest key.
  if (last === undefined || keyOf(last) <= keyOf(item)) sorted.push(item);
  else sorted.splice(placeInSorted(sorted, keyOf(item) + 1, keyOf), 0, item);
}

/** Removes this very item, if it is in the array. Keys are integers. */
export function removeSorted<T>(sorted: T[], item: T, keyOf: (item: T) => number): void {
  const key = keyOf(item);
  for (let n = placeInSorted(sorted, key, keyOf); n < sorted.length && keyOf(sorted[n] as T) === key; n++) {
    if (sorted[n] !== item) continue;
    sorted.splice(n, 1);
    return;
  }
}

export interface SortedItems<T> {
  /** All items, lowest key first. The array never changes: a later change makes another array. */
  all(): readonly T[];
  get(key: number): T | undefined;
  /** Adds the item, in place of the one with the same key; returns that one. */
  put(item: T): T | undefined;
  /** Returns what was removed. */
  remove(key: number): T | undefined;
}

/** Items with unique keys. The array is copied only when it changes after a caller got it. */
export function createSortedItems<T>(keyOf: (item: T) => number): SortedItems<T> {
  let sorted: T[] = [];
  let isGiven = false;

  function ownArray(): T[] {
    if (isGiven) sorted = [...sorted];
    isGiven = false;
    return sorted;
  }
  function replace(key: number, by: readonly T[]): T | undefined {
    const place = placeInSorted(sorted, key, keyOf);
    const there = sorted[place];
    const isThere = there !== undefined && keyOf(there) === key;
    ownArray().splice(place, isThere ? 1 : 0, ...by);
    return isThere ? there : undefined;
  }
  return {
    all() {
      isGiven = true;
      return sorted;
    },
    get(key) {
      const there = sorted[placeInSorted(sorted, key, keyOf)];
      return there !== undefined && keyOf(there) === key ? there : undefined;
    },
    put(item) {
      const key = keyOf(item);
      const last = sorted.at(-1);
      // A new item nearly always has the highest key.
      if (last !== undefined && keyOf(last) >= key) return replace(key, [item]);
      ownArray().push(item);
      return undefined;
    },
    remove: (key) => replace(key, []),
  };
}
