// How many connections there may be, in all and from one address (T12). Those that have not logged in give way to newer
// ones, the oldest first: so silent sockets never keep a lock out.
import type { Origin } from './origin.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Generous: a hub or a router may carry a whole building. */
  readonly maxPerAddress: number;
  /** Of those without a login, in all: each costs about 12 kB. Beyond that the oldest gives way. */
  readonly maxWaiting: number;
  /** From one network those without a login only: a building may be one. Beyond that the oldest of them gives way. */
  readonly maxWaitingPerNetwork: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 12_000,
  maxPerAddress: 1_200,
  maxWaiting: 4_000,
  maxWaitingPerNetwork: 1_200,
};

/** One connection that counts. */
export interface Place {
  /** It has logged in: from now on it gives way to nobody. */
  keep(): void;
  leave(): void;
}

export interface Places {
  /** `giveWay` ends the connection, and with it the place; it is called at most once. */
  enter(origin: Origin, giveWay: () => void): Place | 'too-many-connections' | 'too-many-from-address';
  size(): number;
}

interface Group {
  size: number;
  /** Ways to end those that have not logged in, oldest first. */
  readonly waiting: Set<() => void>;
}

export function createPlaces({ maxConnections, maxPerAddress, maxWaiting, maxWaitingPerNetwork }: ConnectionLimits): Places {
  const all: Group = { size: 0, waiting: new Set() };
  const byAddress = new Map<string, Group>();
  /** Only those without a login, and only where a network is more than an address. */
  const byNetwork = new Map<string, Set<() => void>>();

  function makeRoom(group: Group, max: number): boolean {
    if (group.size < max) return true;
    const [oldest] = group.waiting;
    oldest?.();
    return group.size < max;
  }

  function makeRoomInAll(): boolean {
    const [oldest] = all.waiting;
    if (all.waiting.size >= maxWaiting) oldest?.();
    return makeRoom(all, maxConnections);
  }

  function makeRoomIn(network: string): void {
    const waiting = byNetwork.get(network) ?? new Set();
    const [oldest] = waiting;
    if (waiting.size >= maxWaitingPerNetwork) oldest?.();
  }

  /** Among those of this network that have not logged in; the returned function takes it out again. */
  function waitIn(network: string, end: () => void): () => void {
    const waiting = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, waiting.add(end));
    return () => {
      if (waiting.delete(end) && waiting.size === 0) byNetwork.delete(network);
    };
  }

  return {
    enter({ address, network }, giveWay) {
      if (network !== address) makeRoomIn(network);
      const ofAddress = byAddress.get(address);
      if (ofAddress !== undefined && !makeRoom(ofAddress, maxPerAddress)) return 'too-many-from-address';
      if (!makeRoomInAll()) return 'too-many-connections';
      // Looked up anew: making room may have emptied and removed it.
      const group = byAddress.get(address) ?? { size: 0, waiting: new Set() };
      byAddress.set(address, group);
      const groups = [all, group];
      let left = false;
      const leave = () => {
        if (left) return;
        left = true;
        for (const each of groups) {
          each.size--;
          each.waiting.delete(end);
        }
        leaveNetwork();
        if (group.size === 0) byAddress.delete(address);
      };
      const end = () => {
        leave();
        giveWay();
      };
      for (const each of groups) {
        each.size++;
        each.waiting.add(end);
      }
      const leaveNetwork = network === address ? () => {} : waitIn(network, end);
      return {
        leave,
        keep() {
          for (const each of groups) each.waiting.delete(end);
          leaveNetwork();
        },
      };
    },
    size: () => all.size,
  };
}
