// PUBACKs that had to wait for the disk, on their way out; and the end of a connection whose other side takes nothing (T14).
import type { Clock } from '../domain/ports.ts';
import { pubackPackets } from './packets.ts';

/** Of the connection. */
interface Outlet {
  write(packet: Buffer, whenTaken?: () => void): void;
  /** Written and not yet taken by the other side. */
  unreadBytes(): number;
}

interface Owner {
  onStuck(): void;
}

/** More than this unread: PUBACKs would fill the memory. */
const maxUnreadBytes = 65_536;
/** So much may be on its way at any time; beyond that the other side is watched. */
const usualUnreadBytes = 1_024;
const stuckMs = 5_000;

/** A class, for its methods are shared: there are thousands. */
export class Acknowledgements {
  readonly #outlet: Outlet;
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #owner: Owner;
  #cancel: (() => void) | undefined;

  constructor(outlet: Outlet, clock: Pick<Clock, 'timer'>, owner: Owner) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#owner = owner;
  }

  /** In this order. */
  send(messageIds: readonly number[]): void {
    const unread = this.#outlet.unreadBytes();
    const watch = unread > usualUnreadBytes && this.#cancel === undefined;
    if (watch) this.#cancel = this.#clock.timer(stuckMs, () => this.#owner.onStuck());
    // When these are taken, all before them are.
    this.#outlet.write(pubackPackets(messageIds), watch ? () => this.end() : undefined);
    if (unread > maxUnreadBytes) this.#owner.onStuck();
  }

  /** The connection has ended. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
