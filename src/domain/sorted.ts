// Arrays that are kept in order by each change, so that nobody sorts them again.

/** Where the first item stands whose key is at least `key`; the length when there is none. */
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

/** Behind all whose key is the same or lower. */
export function insertSorted<T>(sorted: T[], item: T, keyOf: (item: T) => number): void {
  const last = sorted.at(-1);
  // What is newest has the highest key, nearly always.
  if (last === undefined || keyOf(last) <= keyOf(item)) sorted.push(item);
  else sorted.splice(placeInSorted(sorted, keyOf(item) + 1, keyOf), 0, item);
}

/** The very item; nothing happens when it is not there. Keys are whole numbers. */
export function removeSorted<T>(sorted: T[], item: T, keyOf: (item: T) => number): void {
  const key = keyOf(item);
  for (let n = placeInSorted(sorted, key, keyOf); n < sorted.length && keyOf(sorted[n] as T) === key; n++) {
    if (sorted[n] !== item) continue;
    sorted.splice(n, 1);
    return;
  }
}

export interface SortedItems<T> {
  /** Lowest key first. It stays as it is: what changes later is in another array. */
  all(): readonly T[];
  get(key: number): T | undefined;
  /** In place of the item with the same key. */
  put(item: T): void;
  remove(key: number): void;
}

/** Items by a key that only one of them has. The array is copied only when it changes after somebody was given it. */
export function createSortedItems<T>(keyOf: (item: T) => number): SortedItems<T> {
  let sorted: T[] = [];
  let isGiven = false;

  function replace(key: number, by: readonly T[]): void {
    const place = placeInSorted(sorted, key, keyOf);
    const there = sorted[place];
    if (isGiven) sorted = [...sorted];
    isGiven = false;
    sorted.splice(place, there !== undefined && keyOf(there) === key ? 1 : 0, ...by);
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
    put: (item) => replace(keyOf(item), [item]),
    remove: (key) => replace(key, []),
  };
}
