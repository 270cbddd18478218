// How many connections there may be, in all and from one address (T12). Those that have not logged in give way to newer
// ones, the oldest first: so silent sockets never keep a lock out.
import type { Origin } from '../domain/origin.ts';

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
  /** Idempotent. */
  leave(): void;
}

/** Who has a place. */
export interface Occupant {
  /** Ends the connection; called at most once, and the place is free by then. */
  giveWay(): void;
}

export interface Places {
  enter(origin: Origin, occupant: Occupant): Place | 'too-many-connections' | 'too-many-from-address';
  size(): number;
}

interface Waiting {
  end(): void;
}

interface Group {
  size: number;
  /** Those that have not logged in, oldest first. */
  readonly waiting: Set<Waiting>;
}

export function createPlaces({ maxConnections, maxPerAddress, maxWaiting, maxWaitingPerNetwork }: ConnectionLimits): Places {
  const all: Group = { size: 0, waiting: new Set() };
  const byAddress = new Map<string, Group>();
  /** Only those without a login, and only where a network is more than an address. */
  const byNetwork = new Map<string, Set<Waiting>>();

  function makeRoom(group: Group, max: number): boolean {
    if (group.size < max) return true;
    const [oldest] = group.waiting;
    oldest?.end();
    return group.size < max;
  }

  function makeRoomInAll(): boolean {
    const [oldest] = all.waiting;
    if (all.waiting.size >= maxWaiting) oldest?.end();
    return makeRoom(all, maxConnections);
  }

  function makeRoomIn(network: string): void {
    const waiting = byNetwork.get(network) ?? new Set();
    const [oldest] = waiting;
    if (waiting.size >= maxWaitingPerNetwork) oldest?.end();
  }

  /** A class, for its methods are shared: there are thousands. */
  class Taken implements Place, Waiting {
    readonly #origin: Origin;
    readonly #group: Group;
    readonly #occupant: Occupant;
    #left = false;

    constructor(origin: Origin, group: Group, occupant: Occupant) {
      this.#origin = origin;
      this.#group = group;
      this.#occupant = occupant;
      for (const each of [all, group]) {
        each.size++;
        each.waiting.add(this);
      }
      const { address, network } = origin;
      if (network !== address) byNetwork.set(network, (byNetwork.get(network) ?? new Set()).add(this));
    }

    keep(): void {
      all.waiting.delete(this);
      this.#group.waiting.delete(this);
      const { network } = this.#origin;
      const waiting = byNetwork.get(network);
      if (waiting?.delete(this) && waiting.size === 0) byNetwork.delete(network);
    }

    leave(): void {
      if (this.#left) return;
      this.#left = true;
      this.keep();
      all.size--;
      this.#group.size--;
      if (this.#group.size === 0) byAddress.delete(this.#origin.address);
    }

    end(): void {
      this.leave();
      this.#occupant.giveWay();
    }
  }

  return {
    enter(origin, occupant) {
      const { address, network } = origin;
      if (network !== address) makeRoomIn(network);
      const ofAddress = byAddress.get(address);
      if (ofAddress !== undefined && !makeRoom(ofAddress, maxPerAddress)) return 'too-many-from-address';
      if (!makeRoomInAll()) return 'too-many-connections';
      // Looked up anew: making room may have emptied and removed it.
      const group = byAddress.get(address) ?? { size: 0, waiting: new Set() };
      byAddress.set(address, group);
      return new Taken(origin, group, occupant);
    },
    size: () => all.size,
  };
}
