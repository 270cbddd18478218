// The gate of the broker: every stream passes here before any reader of MQTT sees it. Finds a place for it, puts a
// frame guard on it, and counts and logs whom it turns away.
import type { Duplex } from 'node:stream';
import { type Origin, originOf } from '../domain/origin.ts';
import type { Clock } from '../domain/ports.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import { type ConnectionLimits, createPlaces, defaultConnectionLimits, type Occupant, type Place } from './connection-limits.ts';
import { defaultFrameLimits, type FrameGuard, type FrameGuardWatcher, type FrameLimits, guardFrames } from './packet-filter.ts';
import type { FrameRefusal } from './packet-rejections.ts';
import type { Taker } from './publish-fast-path.ts';
import type { Lane, Paced, Pacing } from './read-scheduler.ts';
import { PacedReads } from './read-slot.ts';
import { createReasonCounts, type GateStats } from './stats.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly limited: RateLimitedLog;
  readonly pacing: Pacing;
  readonly limits?: Partial<FrameLimits & ConnectionLimits> | undefined;
}

/** Whoever comes, and what is known of them as soon as it is. */
export interface Visitor {
  readonly stream: Duplex & { readonly remoteAddress?: string | undefined };
  /** Names it in the log. */
  identity(): object;
  /** A command is under way on it. */
  isUrgent(): boolean;
}

/** Whoever has come in. */
export interface Entered {
  /** The CONNACK that accepts this client has gone out. */
  admit(): void;
  /** What this client publishes with QoS 0 or 1 goes to `taker` from now on, and not to whoever reads the stream. */
  divert(taker: Taker): void;
  /** A command is on its way to this client: what it says is read before what others say. */
  hurry(): void;
  /** The stream has closed. Idempotent. */
  leave(): void;
}

export interface Gate {
  /** Undefined when there is no room: the stream is destroyed then. */
  enter(visitor: Visitor): Entered | undefined;
  stats(): GateStats;
}

export function createGate({ clock, limited, pacing, limits }: GateOptions): Gate {
  const guardOptions = { clock, limits: { ...defaultFrameLimits, ...limits } };
  const connectionLimits = { ...defaultConnectionLimits, ...limits };
  const { maxConnections, maxPerAddress } = connectionLimits;
  const places = createPlaces(connectionLimits);
  const refusedFrames = createReasonCounts();
  let pausedReads = 0;

  /** A class, for its methods are shared: there are thousands. */
  class Inside implements Entered, Paced, Occupant, FrameGuardWatcher {
    readonly #visitor: Visitor;
    readonly #origin: Origin;
    readonly #lane: Lane;
    readonly #guard: FrameGuard;
    readonly place: Place | undefined;

    constructor(visitor: Visitor) {
      const { stream } = visitor;
      this.#visitor = visitor;
      this.#origin = originOf(stream.remoteAddress);
      // Below the guard, so that what the guard keeps of a packet is all that it ever holds.
      this.#lane = pacing.enter(this);
      this.#guard = guardFrames(stream, guardOptions, this, new PacedReads(stream, pacing.limits.readBytes, this.#lane));
      const place = places.enter(this.#origin, this);
      if (typeof place === 'string') this.#guard.refuse(place);
      else this.place = place;
    }

    admit(): void {
      this.#guard.admit();
      this.place?.keep();
    }

    divert(taker: Taker): void {
      this.#guard.divert(taker);
    }

    hurry(): void {
      this.#lane.hurry();
    }

    leave(): void {
      this.#lane.leave();
      this.#guard.end();
      this.place?.leave();
    }

    giveWay(): void {
      this.#guard.refuse('gave-way');
    }

    isUrgent(): boolean {
      return this.#visitor.isUrgent();
    }

    resume(): void {
      this.#visitor.stream.emit('readable');
    }

    onRefused(refusal: FrameRefusal): void {
      const { address, network } = this.#origin;
      refusedFrames.add(refusal);
      if (refusal === 'too-many-from-address' || refusal === 'too-many-connections') {
        limited.warn(
          `${refusal} ${network}`,
          { code: 'connections-full', address, reason: refusal },
          refusal === 'too-many-connections'
            ? `A connection was turned away: all ${maxConnections} places are taken.`
            : `A connection was turned away: its address has all the places that one may have, ${maxPerAddress} (mqtt.connectionsPerAddress).`,
        );
        return;
      }
      limited.warn(
        `frame ${refusal} ${network}`,
        { code: 'connection-turned-away', address, ...this.#visitor.identity(), reason: refusal },
        'A connection was turned away at the gate.',
      );
    }

    onPaused(): void {
      pausedReads++;
    }
  }

  return {
    enter(visitor) {
      const inside = new Inside(visitor);
      return inside.place && inside;
    },
    stats: () => ({ refusedFrames: refusedFrames.all(), pausedReads, ...pacing.stats() }),
  };
}
