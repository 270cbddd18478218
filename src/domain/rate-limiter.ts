// Limits how often something may happen: a token bucket, a token bucket for each key, and a queue with a token bucket. There is no other
// rate limiter in the tree.
import type { Clock } from './clock.ts';

export interface Rate {
  readonly perSecond: number;
  /** How much may be taken at once after a pause. */
  readonly burst: number;
}

export interface RateLimiterOptions extends Rate {
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** One token bucket. A class, because there is one for each connection. */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #at: number;

  constructor({ clock, perSecond, burst }: RateLimiterOptions) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#at = clock.monotonic();
  }

  /** How much may be taken now; 0 or less when nothing may. `now`: for callers who have just asked the clock. */
  left(now = this.#clock.monotonic()): number {
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
    return Math.floor(this.#left);
  }

  /** Takes one; false, and nothing is taken, when there is not one left. */
  take(now?: number): boolean {
    if (this.left(now) < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Takes `amount`, even if less is left: the deficit must refill first. A negative amount gives back. */
  spend(amount: number): void {
    this.#left -= amount;
  }

  isFull(now?: number): boolean {
    this.left(now);
    return this.#left >= this.#burst;
  }

  /** Milliseconds until `amount`, at most the burst, may be taken. */
  msUntil(amount: number): number {
    this.left();
    return Math.max(0, Math.ceil(((Math.min(amount, this.#burst) - this.#left) * 1_000) / this.#perSecond));
  }
}

export interface KeyedRateLimiter<K> {
  take(key: K): boolean;
  /** Takes `amount` in any case. */
  charge(key: K, amount: number): void;
  msUntil(key: K, amount: number): number;
  /** How many keys are remembered. */
  size(): number;
}

/** A token bucket for each key. A key that is not remembered has a full one. */
export function createKeyedRateLimiter<K>(options: RateLimiterOptions & { readonly maxKeys: number }): KeyedRateLimiter<K> {
  const { clock, maxKeys } = options;
  const limiters = new Map<K, RateLimiter>();

  /** Moves the key to the end, so that the map begins with the least recently used key. */
  function limiterOf(key: K, now: number): RateLimiter {
    const limiter = limiters.get(key) ?? new RateLimiter(options);
    limiters.delete(key);
    forgetOldest(now);
    limiters.set(key, limiter);
    return limiter;
  }

  /** Removes buckets that are full again, two at each step, and one more when there are too many. */
  function forgetOldest(now: number): void {
    for (let step = 0; step < 2; step++) {
      const [oldest] = limiters;
      if (oldest === undefined || (limiters.size < maxKeys && !oldest[1].isFull(now))) return;
      limiters.delete(oldest[0]);
    }
  }

  return {
    take(key) {
      const now = clock.monotonic();
      return limiterOf(key, now).take(now);
    },
    charge(key, amount) {
      const now = clock.monotonic();
      const limiter = limiterOf(key, now);
      limiter.left(now);
      limiter.spend(amount);
    },
    msUntil: (key, amount) => limiters.get(key)?.msUntil(amount) ?? 0,
    size: () => limiters.size,
  };
}

export interface RateLimitedQueue {
  /** undefined: the work may begin now. Otherwise resolves when it may begin, or when the queue stops. */
  turn(): Promise<void> | undefined;
  stop(): void;
}

const shortestWaitMs = 10;

/** Lets work begin in the order of the calls, as fast as the rate allows. */
export function createRateLimitedQueue(options: Rate & { readonly clock: Clock }): RateLimitedQueue {
  const { clock } = options;
  const limiter = new RateLimiter(options);
  const waiting: (() => void)[] = [];
  let cancel: (() => void) | undefined;

  function letGo(): void {
    cancel = undefined;
    while (waiting.length > 0 && limiter.take()) waiting.shift()?.();
    if (waiting.length > 0) cancel = clock.timer(Math.max(shortestWaitMs, limiter.msUntil(1)), letGo);
  }

  return {
    turn() {
      if (waiting.length === 0 && limiter.take()) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (cancel === undefined) letGo();
      });
    },
    stop() {
      cancel?.();
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
