// Limits how many clients stay connected, on all endpoints together. A client that opens idle connections cannot keep out one that sends
// requests, and clients without a token cannot keep out those with one (Fault T12).
import type { AccountId } from '../../domain/accounts/account.ts';
import { isLoopback, type Origin } from '../../domain/origin.ts';

export interface ConnectionLimitSettings {
  /** Connections that have not sent a valid token so far. */
  readonly strangers: number;
  /**
   * Of these, from one network: an IPv4 address or an IPv6 /64. Loopback and trusted proxies have no such limit, because all clients of a
   * proxy share its address.
   */
  readonly strangersOfNetwork: number;
  /** Connections that have sent a valid token. */
  readonly known: number;
  readonly knownOfAccount: number;
}

export const connectionLimitSettings: ConnectionLimitSettings = {
  strangers: 4_000,
  strangersOfNetwork: 1_200,
  known: 4_000,
  knownOfAccount: 2_000,
};

/**
 * Of connections that bring the requests of other nodes: so many of each of two. `network` is the name of a process in its certificate; none of
 * them is known, for many clients ask over each.
 */
export const nodeConnectionSettings: ConnectionLimitSettings = { strangers: 8_000, strangersOfNetwork: 4_000, known: 0, knownOfAccount: 0 };

/**
 * What happens on a connection, in the order in which the gateway closes connections to make room: the client has sent part of a request;
 * it never sent one; it sends none now; it does not read its answer; the gateway has still to answer (never closed for this reason).
 */
const doings = ['sending', 'nothing', 'resting', 'taking', 'asking'] as const;
export type Doing = (typeof doings)[number];

export interface Client {
  doing(): Doing;
  /** Closes the connection. Called at most once, after its slot is freed. */
  evict(): void;
}

export interface ConnectionSlot {
  /** The connection has sent a valid token of this account. Idempotent. */
  keep(accountId: AccountId): void;
  /** Frees the slot. Idempotent. */
  leave(): void;
}

export interface ConnectionLimit {
  /** undefined: there is no room, and no connection that may be closed for it. */
  enter(origin: Origin, client: Client): ConnectionSlot | undefined;
}

/** `onGaveWay` gets the address of each connection that was closed to make room; `isProxy` says whether a trusted proxy is at an address. */
export function createConnectionLimit(
  limits: ConnectionLimitSettings,
  onGaveWay: (address: string) => void,
  isProxy: (address: string) => boolean,
): ConnectionLimit {
  const strangers = new Group(limits.strangers);
  const known = new Group(limits.known);
  const byNetwork = new Map<string, Group>();
  const byAccount = new Map<AccountId, Group>();

  function groupOf<Key>(groups: Map<Key, Group>, key: Key, atMost: number): Group {
    return groups.get(key) ?? new Group(atMost, { onFirst: (group) => groups.set(key, group), onEmpty: () => groups.delete(key) });
  }

  /** Whether each group has room; in a full group, one connection is closed for it. */
  function haveRoom(groups: readonly Group[]): boolean {
    return groups.every((group) => {
      if (!group.isFull()) return true;
      const least = group.least();
      least?.evict();
      return least !== undefined;
    });
  }

  /** A class, because there are thousands and they share their methods. */
  class Taken implements ConnectionSlot, Member {
    readonly client: Client;
    readonly #address: string;
    #groups: readonly Group[] = [];

    constructor(address: string, client: Client, groups: readonly Group[]) {
      this.#address = address;
      this.client = client;
      this.#move(groups);
    }

    keep(accountId: AccountId): void {
      if (this.#groups.length === 0 || this.#groups.includes(known)) return;
      const wanted = [groupOf(byAccount, accountId, limits.knownOfAccount), known];
      // Without room it stays among the strangers rather than being closed: its request may be an unlock.
      if (haveRoom(wanted)) this.#move(wanted);
    }

    leave(): void {
      this.#move([]);
    }

    evict(): void {
      this.leave();
      onGaveWay(this.#address);
      this.client.evict();
    }

    #move(groups: readonly Group[]): void {
      for (const group of this.#groups) group.delete(this);
      this.#groups = groups;
      for (const group of groups) group.add(this);
    }
  }

  return {
    enter({ address, network }, client) {
      const ofNetwork = isLoopback(address) || isProxy(address) ? [] : [groupOf(byNetwork, network, limits.strangersOfNetwork)];
      const groups = [...ofNetwork, strangers];
      return haveRoom(groups) ? new Taken(address, client, groups) : undefined;
    },
  };
}

interface Member {
  readonly client: Client;
  evict(): void;
}

/** Connections that share a limit, the oldest first. */
class Group {
  readonly #members = new Set<Member>();
  readonly #atMost: number;
  readonly #keyed: { onFirst(group: Group): void; onEmpty(): void } | undefined;

  constructor(atMost: number, keyed?: { onFirst(group: Group): void; onEmpty(): void }) {
    this.#atMost = atMost;
    this.#keyed = keyed;
  }

  isFull(): boolean {
    return this.#members.size >= this.#atMost;
  }

  add(member: Member): void {
    this.#members.add(member);
    if (this.#members.size === 1) this.#keyed?.onFirst(this);
  }

  delete(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#keyed?.onEmpty();
  }

  /** The member to close first; of equals the oldest. Looks at all members, which is needed only when the group is full. */
  least(): Member | undefined {
    let least: Member | undefined;
    let rank: number = doings.indexOf('asking');
    for (const member of this.#members) {
      const doing = doings.indexOf(member.client.doing());
      if (doing < rank) [least, rank] = [member, doing];
      if (rank === 0) break;
    }
    return least;
  }
}
