// How many connections there may be, in all and from one address (T12). Those that have not logged in give way to newer
// ones, the oldest first: so silent sockets never keep a lock out.

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Generous: a hub or a router may carry a whole building. */
  readonly maxPerAddress: number;
}

export const defaultConnectionLimits: ConnectionLimits = { maxConnections: 12_000, maxPerAddress: 1_200 };

/** One connection that counts. */
export interface Place {
  /** It has logged in: from now on it gives way to nobody. */
  keep(): void;
  leave(): void;
}

export interface Places {
  /** `giveWay` ends the connection, and with it the place; it is called at most once. */
  enter(address: string, giveWay: () => void): Place | 'too-many-connections' | 'too-many-from-address';
  size(): number;
}

interface Group {
  size: number;
  /** Ways to end those that have not logged in, oldest first. */
  readonly waiting: Set<() => void>;
}

export function createPlaces({ maxConnections, maxPerAddress }: ConnectionLimits): Places {
  const all: Group = { size: 0, waiting: new Set() };
  const byAddress = new Map<string, Group>();

  function makeRoom(group: Group, max: number): boolean {
    if (group.size < max) return true;
    const [oldest] = group.waiting;
    oldest?.();
    return group.size < max;
  }

  return {
    enter(address, giveWay) {
      const ofAddress = byAddress.get(address);
      if (ofAddress !== undefined && !makeRoom(ofAddress, maxPerAddress)) return 'too-many-from-address';
      if (!makeRoom(all, maxConnections)) return 'too-many-connections';
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
      return {
        leave,
        keep() {
          for (const each of groups) each.waiting.delete(end);
        },
      };
    },
    size: () => all.size,
  };
}
