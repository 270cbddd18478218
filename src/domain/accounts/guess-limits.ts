// How often somebody may guess the password of an account. An attempt counts before it is checked, so that many at the same time are not
// more than one after the other.
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';

const failuresAllowed = 10;
const windowMs = 15 * 60_000;
/** Beyond them one attempt in this time. */
const thenOneInMs = 30_000;
/** Beyond that the name that does not exist and was tried longest ago is forgotten, so that strangers cannot fill the memory. */
const unknownNamesAtMost = 10_000;

export interface GuessLimits {
  /**
   * Counts an attempt at a name as a failure. `isKnown`: whether there is such an account; its failures are not forgotten for those of other
   * names. Throws `rate-limited`, and counts nothing, when it comes too early. Returns what to call when it was none.
   */
  attempt(name: string, isKnown: boolean): () => void;
}

export function createGuessLimits(clock: Pick<Clock, 'monotonic'>): GuessLimits {
  const known = new Map<string, readonly number[]>();
  const unknown = new Map<string, readonly number[]>();

  return {
    attempt(name, isKnown) {
      // Upper and lower case are one: nobody gets more attempts by them.
      const key = name.toLowerCase();
      const now = clock.monotonic();
      const failures = isKnown ? known : unknown;
      const times = (failures.get(key) ?? []).filter((at) => at > now - windowMs);
      const last = times.at(-1);
      const waitMs = last === undefined || times.length < failuresAllowed ? 0 : last + thenOneInMs - now;
      if (waitMs > 0) {
        const retryAfterSeconds = Math.ceil(waitMs / 1_000);
        throw new DomainError('rate-limited', 'too many attempts to sign in with this name', { retryAfterSeconds });
      }
      failures.delete(key);
      if (failures === unknown && unknown.size >= unknownNamesAtMost) unknown.delete(unknown.keys().next().value as string);
      failures.set(key, [...times, now].slice(-failuresAllowed));
      return () => {
        const counted = failures.get(key) ?? [];
        const at = counted.lastIndexOf(now);
        const left = counted.filter((_, index) => index !== at);
        if (left.length > 0) failures.set(key, left);
        else failures.delete(key);
      };
    },
  };
}
