// What connections do that they must not, and what fails while they are served: counted, and logged within limits.

import { type Origin, originOf } from '../domain/origin.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import type { ConnectionLimits } from './connection-table.ts';
import type { PacketRejection } from './packet-rejections.ts';
import type { ReadSchedulerStats } from './read-scheduler.ts';

type Counts = Readonly<Record<string, number>>;

interface ConnectionStats {
  /** Connections that were ended for what came over them, or for want of room. */
  readonly refusedFrames: Counts;
  /** How often a client was read more slowly than it sent. */
  readonly pausedReads: number;
  readonly refusedConnections: Counts;
  readonly refusedPublishes: Counts;
  readonly refusedSubscriptions: Counts;
  readonly withheldDeliveries: number;
  readonly protocolErrors: number;
  /** Connections that were closed because the other side took nothing. */
  readonly stuckReaders: number;
  /** Of TLS. */
  readonly failedHandshakes: number;
  readonly hookFailures: number;
}

export interface BrokerStats extends ConnectionStats, ReadSchedulerStats {
  readonly openConnections: number;
  /** Rejected logins whose answer is put off now, at most 500; and the networks that are slowed down, at most 10,000. */
  readonly refusalsWaiting: number;
  readonly slowedNetworks: number;
  /** Of TLS. Those that are under way are at most 1,500; beyond that the oldest give way. */
  readonly handshakesUnderWay: number;
  readonly handshakesGaveWay: number;
}

/** Names a client in the log; nothing before its login. */
interface Identity {
  readonly deviceId?: string;
}

/** What all connections bring to it. */
export class StatsRecorder {
  readonly #limited: RateLimitedLog;
  readonly #limits: Pick<ConnectionLimits, 'maxConnections' | 'maxPerAddress'>;
  readonly #refusedFrames = createReasonCounts();
  readonly #refusedConnections = createReasonCounts();
  readonly #refusedPublishes = createReasonCounts();
  readonly #refusedSubscriptions = createReasonCounts();
  readonly #counts = { pausedReads: 0, withheldDeliveries: 0, protocolErrors: 0, stuckReaders: 0, failedHandshakes: 0, hookFailures: 0 };

  constructor(limited: RateLimitedLog, limits: Pick<ConnectionLimits, 'maxConnections' | 'maxPerAddress'>) {
    this.#limited = limited;
    this.#limits = limits;
  }

  handshakeFailed(remoteAddress: string | undefined, reason: string): void {
    this.#counts.failedHandshakes++;
    const { address, network } = originOf(remoteAddress);
    this.#limited.warn(
      `handshake ${network}`,
      { code: 'tls-handshake-failed', address, reason },
      'A TLS handshake failed: a lock that does not trust the authority, or no TLS.',
    );
  }

  /** There is no room for a connection, or its packet filter has ended it. */
  packetRejected({ address, network }: Origin, identity: Identity, reason: PacketRejection): void {
    this.#refusedFrames.add(reason);
    if (reason === 'other-network') {
      this.#limited.warn(
        `${reason} ${network}`,
        { code: 'connection-turned-away', address, reason },
        'A connection was turned away: its address is in none of the networks of this listener (devices.networks).',
      );
      return;
    }
    if (reason !== 'too-many-from-address' && reason !== 'too-many-connections') {
      this.#limited.warn(
        `packet ${reason} ${network}`,
        { code: 'connection-turned-away', address, ...identity, reason },
        'The broker turned a connection away: its packets break a limit or the protocol.',
      );
      return;
    }
    this.#limited.warn(
      `${reason} ${network}`,
      { code: 'connections-full', address, reason },
      reason === 'too-many-connections'
        ? `A connection was turned away: all ${this.#limits.maxConnections} places are taken (mqtt.connections).`
        : `A connection was turned away: its address has all the places that one may have, ${this.#limits.maxPerAddress} (mqtt.connectionsPerAddress).`,
    );
  }

  readPaused(): void {
    this.#counts.pausedReads++;
  }

  connectRejected(reason: string): void {
    this.#refusedConnections.add(reason);
  }

  publishRejected(identity: Identity, reason: string): void {
    this.#refusedPublishes.add(reason);
    this.#limited.warn(
      `publish ${identity.deviceId}`,
      { code: 'publish-refused', ...identity, reason },
      'A publish was refused and the connection closed.',
    );
  }

  publishFailed(identity: Identity, error: unknown): void {
    this.#counts.hookFailures++;
    this.#limited.warn(
      `inbound ${identity.deviceId}`,
      { code: 'bug', ...identity, err: error },
      'A message could not be handled; the connection was closed.',
    );
  }

  readerStuck(identity: Identity): void {
    this.#counts.stuckReaders++;
    this.#limited.warn(
      `stuck ${identity.deviceId}`,
      { code: 'client-stuck', ...identity },
      'A client does not read what it is sent; its connection was closed.',
    );
  }

  /** A step of the broker threw. */
  hookFailed(identity: Identity, hook: string, error: unknown): void {
    this.#counts.hookFailures++;
    this.#limited.warn(`hook ${hook}`, { code: 'bug', hook, err: error, ...identity }, 'A step of the broker failed.');
  }

  subscriptionRejected(identity: Identity, reason: string): void {
    this.#refusedSubscriptions.add(reason);
    this.#limited.warn(
      `subscribe ${identity.deviceId}`,
      { code: 'subscription-refused', ...identity, reason },
      'A subscription was refused.',
    );
  }

  deliveryWithheld(): void {
    this.#counts.withheldDeliveries++;
  }

  brokeOff(reason: string): void {
    // What aedes calls it when a client has not taken for 5 s what aedes itself has written.
    if (reason === 'drain timeout') this.#counts.stuckReaders++;
    else this.#counts.protocolErrors++;
  }

  stats(): ConnectionStats {
    return {
      ...this.#counts,
      refusedFrames: this.#refusedFrames.all(),
      refusedConnections: this.#refusedConnections.all(),
      refusedPublishes: this.#refusedPublishes.all(),
      refusedSubscriptions: this.#refusedSubscriptions.all(),
    };
  }
}

/** Reasons are from closed lists, never text from outside: the counters stay few. */
function createReasonCounts() {
  const counts = new Map<string, number>();
  return {
    add(reason: string): void {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    },
    /** A copy: reason to number. */
    all: (): Counts => Object.fromEntries(counts),
  };
}
