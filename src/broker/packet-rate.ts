// How many packets a client may send: a token bucket. Whoever is too fast is read more slowly, not closed.
import type { Clock } from '../domain/ports.ts';

export interface PacketRate {
  readonly packetsPerSecond: number;
  /** How many may come at once after a rest. */
  readonly packetBurst: number;
}

export class PacketAllowance {
  readonly #rate: PacketRate;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #tokens: number;
  #at: number;

  constructor(rate: PacketRate, clock: Pick<Clock, 'monotonic'>) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.packetBurst;
    this.#at = clock.monotonic();
  }

  /** Whole packets that may be taken now. */
  left(): number {
    const { packetsPerSecond, packetBurst } = this.#rate;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(packetBurst, this.#tokens + ((now - this.#at) * packetsPerSecond) / 1_000);
    this.#at = now;
    return Math.floor(this.#tokens);
  }

  take(packets: number): void {
    this.#tokens -= packets;
  }
}
