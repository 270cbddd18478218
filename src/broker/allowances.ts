// What each of many may do, by key: a token bucket for each. Whoever is not remembered has a full one.
import type { Clock } from '../domain/ports.ts';

export interface AllowanceRate {
  readonly perSecond: number;
  /** How much at once after a rest. */
  readonly burst: number;
}

export interface Allowances<K> {
  /** False, and nothing is taken, when there is not one left. */
  take(key: K): boolean;
  /** Taken already: whoever had less than that pays first before there is anything left again. */
  charge(key: K, amount: number): void;
  /** Milliseconds until so much (at most the burst) is there again. */
  msUntil(key: K, amount: number): number;
  /** How many are remembered. */
  size(): number;
}

interface Bucket {
  left: number;
  at: number;
}

export interface AllowancesOptions extends AllowanceRate {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How many are remembered; beyond that the one who asked longest ago is forgotten. */
  readonly maxKeys: number;
}

export function createAllowances<K>({ clock, perSecond, burst, maxKeys }: AllowancesOptions): Allowances<K> {
  const buckets = new Map<K, Bucket>();

  function filled({ left, at }: Bucket, now: number): number {
    return Math.min(burst, left + ((now - at) * perSecond) / 1_000);
  }

  /** As it is now, remembered as the one that was asked for last. */
  function bucketOf(key: K): Bucket {
    const now = clock.monotonic();
    const bucket = buckets.get(key) ?? { left: burst, at: now };
    bucket.left = filled(bucket, now);
    bucket.at = now;
    buckets.delete(key);
    forgetOldest(now);
    buckets.set(key, bucket);
    return bucket;
  }

  /** Those that are full again, two at each step, and whoever is one too many. */
  function forgetOldest(now: number): void {
    for (let step = 0; step < 2; step++) {
      const [oldest] = buckets;
      if (oldest === undefined || (buckets.size < maxKeys && filled(oldest[1], now) < burst)) return;
      buckets.delete(oldest[0]);
    }
  }

  return {
    take(key) {
      const bucket = bucketOf(key);
      if (bucket.left < 1) return false;
      bucket.left--;
      return true;
    },
    charge(key, amount) {
      bucketOf(key).left -= amount;
    },
    msUntil(key, amount) {
      const bucket = buckets.get(key);
      const missing = bucket === undefined ? 0 : Math.min(amount, burst) - filled(bucket, clock.monotonic());
      return Math.max(0, Math.ceil((missing * 1_000) / perSecond));
    },
    size: () => buckets.size,
  };
}
