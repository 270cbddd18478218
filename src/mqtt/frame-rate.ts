// How many packets a client may send: a token bucket. Whoever is too fast is read more slowly, not closed.
import type { Clock } from '../domain/ports.ts';

export interface PacketRate {
  readonly packetsPerSecond: number;
  /** How many may come at once after a rest. */
  readonly packetBurst: number;
}

export interface PacketAllowance {
  /** Whole packets that may be taken now. */
  left(): number;
  take(packets: number): void;
}

export function createPacketAllowance({ packetsPerSecond, packetBurst }: PacketRate, clock: Pick<Clock, 'monotonic'>): PacketAllowance {
  let tokens = packetBurst;
  let at = clock.monotonic();
  return {
    left() {
      const now = clock.monotonic();
      tokens = Math.min(packetBurst, tokens + ((now - at) * packetsPerSecond) / 1_000);
      at = now;
      return Math.floor(tokens);
    },
    take(packets) {
      tokens -= packets;
    },
  };
}
