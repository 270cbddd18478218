// Caches values that are costly to make or to read. The source of a value never changes, so no value is ever stale.

export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined;
  /** Stores a value; a full cache stores only some. */
  add(key: Key, value: Value): void;
}

/** Once the cache is full, it stores one of so many new values. */
const oneOf = 4;

/**
 * Holds at most `atMost` values. Once it is full, one new value of four replaces the oldest. So a value that is requested again and again
 * is cached soon. And when more values than fit are requested in a cycle, many are still cached when they are requested again; if every new
 * value were stored, none would be.
 */
export function createBoundedCache<Key, Value>(atMost: number): BoundedCache<Key, Value> {
  const cached = new Map<Key, Value>();
  let offered = 0;
  /**
   * The keys, oldest first. One iterator for good, because a new one would walk over all evicted entries. Undefined: the cache was never
   * full.
   */
  let oldest: MapIterator<Key> | undefined;

  return {
    get: (key) => cached.get(key),
    add(key, value) {
      offered += 1;
      if (oldest !== undefined && offered % oneOf !== 0) return;
      cached.delete(key);
      cached.set(key, value);
      if (cached.size <= atMost) return;
      oldest ??= cached.keys();
      cached.delete(oldest.next().value as Key);
    },
  };
}
