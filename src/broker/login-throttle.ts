// Slows down an address that fails to log in again and again, of IPv6 its network (Protocol 2, Fault T12). Only answers to failures wait: valid
// credentials from the same address are never delayed.

import type { Clock } from '../domain/clock.ts';
import { createFailedLogins } from '../domain/failed-logins.ts';

export interface LoginThrottle {
  /**
   * Counts a failed login. Milliseconds to wait before the refusal is sent; undefined when too many refusals wait
   * already: then the connection is closed without one. A delay above 0 must be given back with `answered`.
   */
  failed(network: string): number | undefined;
  answered(): void;
  /** Answers that are put off now, at most 500. */
  waiting(): number;
  /** Networks that are remembered, at most 10,000. */
  slowed(): number;
}

const freeFailures = 5;
const firstDelayMs = 250;
const maxDelayMs = 5_000;
const maxWaiting = 500;

/** Five failures within a minute are free, then 250 ms, doubled each time up to 5 s; 500 waiting answers. */
export function createLoginThrottle({ clock }: { readonly clock: Clock }): LoginThrottle {
  const failures = createFailedLogins(clock);
  let waiting = 0;

  return {
    failed(network) {
      const count = failures.add(network);
      if (count <= freeFailures) return 0;
      if (waiting >= maxWaiting) return undefined;
      waiting++;
      return Math.min(maxDelayMs, firstDelayMs * 2 ** (count - freeFailures - 1));
    },
    answered() {
      waiting--;
    },
    waiting: () => waiting,
    slowed: failures.networks,
  };
}
