// The time that a packet has from its first byte to its last one, as long as the broker waits for the client (Fault T12).
import type { Clock } from '../domain/clock.ts';

interface Owner {
  /** What has come is not read: the reader is late, and not the client. */
  isHeldUp(): boolean;
  onLate(): void;
}

const retryMs = 1_000;

/** A class with one timer for many packets: busy connections end most of their chunks with a part of one. */
export class PacketDeadline {
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** When the first byte of the packet came that is not complete yet. */
  #since: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(owner: Owner, clock: Clock, timeoutMs: number) {
    this.#owner = owner;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** To be called after each read: bytes of a packet that is not complete, and how many have been completed before them. */
  note(partialBytes: number, packets: number): void {
    if (partialBytes === 0) this.#since = undefined;
    else if (packets > 0 || this.#since === undefined) this.#since = this.#clock.monotonic();
    if (this.#since !== undefined) this.#cancel ??= this.#clock.timer(this.#timeoutMs, () => this.#check());
  }

  /** No timer is left. Idempotent. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    this.#cancel = undefined;
    if (this.#since === undefined) return;
    const leftMs = this.#since + this.#timeoutMs - this.#clock.monotonic();
    const waitMs = leftMs <= 0 && this.#owner.isHeldUp() ? retryMs : leftMs;
    if (waitMs <= 0) this.#owner.onLate();
    else this.#cancel = this.#clock.timer(waitMs, () => this.#check());
  }
}
