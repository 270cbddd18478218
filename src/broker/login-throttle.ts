// Slows down whoever keeps failing to log in, by address, of IPv6 by network (Protocol 2, T12). Only answers to failures wait: valid
// credentials from the same address are never delayed.
import type { Clock } from '../domain/ports.ts';

export interface LoginThrottle {
  /**
   * Counts a failed login. Milliseconds to wait before the refusal is sent; undefined when too many refusals wait
   * already: then the connection is closed without one. A delay above 0 must be given back with `answered`.
   */
  failed(address: string): number | undefined;
  answered(): void;
  /** Answers that are put off now, at most 500. */
  waiting(): number;
  /** Addresses that are remembered, at most 10,000. */
  slowed(): number;
}

const windowMs = 60_000;
const freeFailures = 5;
const firstDelayMs = 250;
const maxDelayMs = 5_000;
const maxAddresses = 10_000;
const maxWaiting = 500;

/** Five failures within a minute are free, then 250 ms, doubled each time up to 5 s; 10,000 addresses, 500 waiting answers. */
export function createLoginThrottle({ clock }: { readonly clock: Clock }): LoginThrottle {
  const failures = new Map<string, { since: number; count: number }>();
  let waiting = 0;

  return {
    failed(address) {
      const now = clock.monotonic();
      let entry = failures.get(address);
      if (entry === undefined || now - entry.since >= windowMs) entry = { since: now, count: 0 };
      entry.count++;
      failures.delete(address);
      // The longest untouched gives way: strangers' addresses must not fill the memory.
      if (failures.size >= maxAddresses) failures.delete(failures.keys().next().value as string);
      failures.set(address, entry);
      if (entry.count <= freeFailures) return 0;
      if (waiting >= maxWaiting) return undefined;
      waiting++;
      return Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(10, entry.count - freeFailures - 1));
    },
    answered() {
      waiting--;
    },
    waiting: () => waiting,
    slowed: () => failures.size,
  };
}
