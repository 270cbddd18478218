// All connections, from accept to close, and how many there may be, in all and from one address (Fault T12). Those that have not logged in
// give way to newer ones, the oldest first: so silent sockets never keep a lock out.
import type { Duplex } from 'node:stream';
import type { Origin } from '../domain/origin.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Generous: a hub or a router may carry a whole building. */
  readonly maxPerAddress: number;
  /** Of those without a login, in all. Beyond that the oldest gives way. */
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

/** A connection, as far as it takes up room. */
interface Entry {
  readonly stream: Duplex;
  readonly origin: Origin;
  /** For the table to set: one that gives way has no place any more, and is in the table until its stream has closed. */
  hasPlace: boolean;
  /** Ends the connection; called at most once, and its place is free by then. */
  reject(reason: 'gave-way'): void;
}

export type NoRoom = 'too-many-connections' | 'too-many-from-address';

interface Group<C> {
  size: number;
  /** Those that have not logged in, oldest first. */
  readonly waiting: Set<C>;
}

/** Every open connection, with the limits of all, of an address and of a network. */
export class ConnectionTable<C extends Entry> {
  readonly #limits: ConnectionLimits;
  readonly #byStream = new Map<Duplex, C>();
  readonly #all: Group<C> = { size: 0, waiting: new Set() };
  readonly #byAddress = new Map<string, Group<C>>();
  /** Only those without a login, and only where a network is more than an address. */
  readonly #byNetwork = new Map<string, Set<C>>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Undefined when it has a place now. */
  enter(connection: C): NoRoom | undefined {
    const { address, network } = connection.origin;
    if (network !== address) this.#makeRoomIn(network);
    const ofAddress = this.#byAddress.get(address);
    if (ofAddress !== undefined && !this.#makeRoom(ofAddress, this.#limits.maxPerAddress)) return 'too-many-from-address';
    if (!this.#makeRoomInAll()) return 'too-many-connections';
    // Looked up anew: making room may have emptied and removed it.
    const group = this.#byAddress.get(address) ?? { size: 0, waiting: new Set() };
    this.#byAddress.set(address, group);
    for (const each of [this.#all, group]) {
      each.size++;
      each.waiting.add(connection);
    }
    if (network !== address) this.#byNetwork.set(network, (this.#byNetwork.get(network) ?? new Set()).add(connection));
    connection.hasPlace = true;
    this.#byStream.set(connection.stream, connection);
    return undefined;
  }

  /** Undefined when the stream has closed. */
  of(stream: Duplex): C | undefined {
    return this.#byStream.get(stream);
  }

  /** It has logged in: from now on it gives way to nobody. */
  keep(connection: C): void {
    const { address, network } = connection.origin;
    this.#all.waiting.delete(connection);
    this.#byAddress.get(address)?.waiting.delete(connection);
    const waiting = this.#byNetwork.get(network);
    if (waiting?.delete(connection) && waiting.size === 0) this.#byNetwork.delete(network);
  }

  /** The stream has closed. Idempotent. */
  leave(connection: C): void {
    this.#byStream.delete(connection.stream);
    this.#freePlace(connection);
  }

  all(): readonly C[] {
    return [...this.#byStream.values()];
  }

  size(): number {
    return this.#byStream.size;
  }

  #freePlace(connection: C): void {
    if (!connection.hasPlace) return;
    connection.hasPlace = false;
    this.keep(connection);
    const { address } = connection.origin;
    const group = this.#byAddress.get(address);
    this.#all.size--;
    if (group !== undefined && --group.size === 0) this.#byAddress.delete(address);
  }

  #makeRoom(group: Group<C>, max: number): boolean {
    if (group.size < max) return true;
    this.#endOldest(group.waiting);
    return group.size < max;
  }

  #makeRoomInAll(): boolean {
    const { waiting } = this.#all;
    if (waiting.size >= this.#limits.maxWaiting) this.#endOldest(waiting);
    return this.#makeRoom(this.#all, this.#limits.maxConnections);
  }

  #makeRoomIn(network: string): void {
    const waiting = this.#byNetwork.get(network);
    if (waiting !== undefined && waiting.size >= this.#limits.maxWaitingPerNetwork) this.#endOldest(waiting);
  }

  #endOldest([oldest]: ReadonlySet<C>): void {
    if (oldest === undefined) return;
    this.#freePlace(oldest);
    oldest.reject('gave-way');
  }
}
