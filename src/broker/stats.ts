// Counters of what was refused and what went wrong, by reason.

import type { ReceiverStats } from '../drivers/native/report-receiver.ts';
import type { ReadSchedulerStats } from './read-scheduler.ts';

export interface GateStats extends ReadSchedulerStats {
  /** Connections that were ended for what came over them, or for want of room. */
  readonly refusedFrames: Readonly<Record<string, number>>;
  /** How often a client was read more slowly than it sent. */
  readonly pausedReads: number;
}

export interface TroubleStats {
  readonly refusedConnections: Readonly<Record<string, number>>;
  readonly refusedPublishes: Readonly<Record<string, number>>;
  readonly refusedSubscriptions: Readonly<Record<string, number>>;
  readonly withheldDeliveries: number;
  readonly protocolErrors: number;
  /** Connections that were closed because the other side took nothing. */
  readonly stuckReaders: number;
  /** Of TLS. */
  readonly failedHandshakes: number;
  readonly hookFailures: number;
}

export interface BrokerStats extends ReceiverStats, GateStats, TroubleStats {
  readonly openConnections: number;
  /** Logged in; whether a lock is online is another matter (Protocol 6). */
  readonly connectedLocks: number;
  readonly connectedHubs: number;
  /** Logins that ended another connection of the same lock or hub. */
  readonly takeovers: number;
  /** Refused logins whose answer is put off now, at most 500; and the networks that are slowed down, at most 10,000. */
  readonly refusalsWaiting: number;
  readonly slowedNetworks: number;
  /** Of TLS. Those that are under way are at most 1,500; beyond that the oldest give way. */
  readonly handshakesUnderWay: number;
  readonly handshakesGaveWay: number;
}

export interface ReasonCounts {
  add(reason: string): void;
  /** A copy: reason to number. */
  all(): Readonly<Record<string, number>>;
}

/** Reasons are from closed lists in this folder, never text from outside: the counters stay few. */
export function createReasonCounts(): ReasonCounts {
  const counts = new Map<string, number>();
  return {
    add(reason) {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    },
    all: () => Object.fromEntries(counts),
  };
}
