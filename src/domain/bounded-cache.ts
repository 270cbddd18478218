// Values that were costly to make or to read, cached for those who ask again. What a value was made of never changes, so none is ever stale.

export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined;
  /** Not always, when it is full. */
  add(key: Key, value: Value): void;
}

/** Of so many newcomers one is taken in, once the cache is full. */
const oneOf = 4;

/**
 * Holds so many values at most. Once it is full, one newcomer of four takes the place of the value that came first. So what somebody asks
 * for again and again is in soon, whatever was looked at before; and of more values than fit, asked for in turn, many are still there when
 * their turn comes. If each newcomer came in, none would be.
 */
export function createBoundedCache<Key, Value>(atMost: number): BoundedCache<Key, Value> {
  const cached = new Map<Key, Value>();
  let newcomers = 0;
  /** In the order of their coming; one for good, because a new one would pass over all that was evicted. Undefined: the cache was never full. */
  let oldest: MapIterator<Key> | undefined;

  return {
    get: (key) => cached.get(key),
    add(key, value) {
      newcomers += 1;
      if (oldest !== undefined && newcomers % oneOf !== 0) return;
      cached.delete(key);
      cached.set(key, value);
      if (cached.size <= atMost) return;
      oldest ??= cached.keys();
      cached.delete(oldest.next().value as Key);
    },
  };
}
