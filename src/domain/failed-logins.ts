// Counts the failed logins of each network within the last minute, so that HTTP and MQTT can slow down clients that guess. A network is an
// IPv4 address or an IPv6 /64 (`origin.ts`).
import type { Clock } from './clock.ts';

export interface FailedLogins {
  /** Counts one more. Returns how many this network has now, at most 20. */
  add(network: string): number;
  /** Forgets the last one of this network, which was none. */
  takeBack(network: string): void;
  /** Milliseconds until the network has fewer than `count`; 0 when it has fewer now. */
  msUntilBelow(network: string, count: number): number;
  /** How many networks are remembered. */
  networks(): number;
}

const windowMs = 60_000;
/** Failures that are remembered for one network; more would not slow it down further. */
const remembered = 20;
/** Beyond that the network whose last failure is oldest is forgotten, so that strangers cannot fill the memory. */
const networksAtMost = 10_000;

export function createFailedLogins(clock: Pick<Clock, 'monotonic'>): FailedLogins {
  const failures = new Map<string, readonly number[]>();

  function recent(network: string, now: number): readonly number[] {
    return (failures.get(network) ?? []).filter((at) => at > now - windowMs);
  }

  return {
    add(network) {
      const now = clock.monotonic();
      const all = [...recent(network, now), now].slice(-remembered);
      failures.delete(network);
      if (failures.size >= networksAtMost) failures.delete(failures.keys().next().value as string);
      failures.set(network, all);
      return all.length;
    },
    takeBack(network) {
      const left = failures.get(network)?.slice(0, -1) ?? [];
      if (left.length > 0) failures.set(network, left);
      else failures.delete(network);
    },
    msUntilBelow(network, count) {
      const now = clock.monotonic();
      const oldest = recent(network, now).at(-count);
      return oldest === undefined ? 0 : oldest + windowMs - now;
    },
    networks: () => failures.size,
  };
}
