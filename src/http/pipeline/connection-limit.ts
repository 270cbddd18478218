// How many clients stay connected, on all endpoints together: whoever opens connections for nothing keeps out nobody who asks for
// something, and nobody without a token keeps out those with one (Fault T12).
import { isIP } from 'node:net';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Origin } from '../../domain/origin.ts';

export interface ConnectionLimitSettings {
  /** Without a valid token so far. */
  readonly strangers: number;
  /** Of them from one network: an IPv4 address, an IPv6 /64. This machine has no such limit: a reverse proxy brings everybody. */
  readonly strangersOfNetwork: number;
  /** Those on which a valid token has come. */
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
 * What goes on on a connection, in the order in which they give way: half of a request is there and half is missing; nothing was ever
 * asked; nothing is asked now; the answer is there and is not taken; the gateway has still to answer, who never gives way.
 */
const doings = ['sending', 'nothing', 'resting', 'taking', 'asking'] as const;
export type Doing = (typeof doings)[number];

export interface Client {
  doing(): Doing;
  /** Ends the connection; called at most once, and the place is free by then. */
  giveWay(): void;
}

export interface ConnectionSlot {
  /** A valid token of this account has come on it. Idempotent. */
  keep(accountId: AccountId): void;
  /** Idempotent. */
  leave(): void;
}

export interface ConnectionLimit {
  /** undefined: there is no room, and nobody who could give way. */
  enter(origin: Origin, client: Client): ConnectionSlot | undefined;
}

/** `onGaveWay`: where a connection came from that was ended to make room. */
export function createConnectionLimit(limits: ConnectionLimitSettings, onGaveWay: (address: string) => void): ConnectionLimit {
  const strangers = new Group(limits.strangers);
  const known = new Group(limits.known);
  const byNetwork = new Map<string, Group>();
  const byAccount = new Map<AccountId, Group>();

  function groupOf<Key>(groups: Map<Key, Group>, key: Key, atMost: number): Group {
    return groups.get(key) ?? new Group(atMost, { onFirst: (group) => groups.set(key, group), onEmpty: () => groups.delete(key) });
  }

  /** Whether there is room in each of them, after somebody gave way where there was none. */
  function haveRoom(groups: readonly Group[]): boolean {
    return groups.every((group) => {
      if (!group.isFull()) return true;
      const least = group.least();
      least?.giveWay();
      return least !== undefined;
    });
  }

  /** A class, for its methods are shared: there are thousands. */
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
      // Without room it stays among the strangers: it may be a door that is asked for.
      if (haveRoom(wanted)) this.#move(wanted);
    }

    leave(): void {
      this.#move([]);
    }

    giveWay(): void {
      this.leave();
      onGaveWay(this.#address);
      this.client.giveWay();
    }

    #move(groups: readonly Group[]): void {
      for (const group of this.#groups) group.delete(this);
      this.#groups = groups;
      for (const group of groups) group.add(this);
    }
  }

  return {
    enter({ address, network }, client) {
      const ofNetwork = isLoopback(address) ? [] : [groupOf(byNetwork, network, limits.strangersOfNetwork)];
      const groups = [...ofNetwork, strangers];
      return haveRoom(groups) ? new Taken(address, client, groups) : undefined;
    },
  };
}

interface Member {
  readonly client: Client;
  giveWay(): void;
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

  /** Who gives way first; of equals the oldest. Looks at all of them, which is done only when they are too many. */
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

/** A program on this machine, such as a reverse proxy. */
function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
