// The gate of the broker: every stream passes here before any reader of MQTT sees it. Finds a place for it, puts a
// frame guard on it, and counts and logs whom it turns away.
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { type ConnectionLimits, createPlaces, defaultConnectionLimits } from './connection-limits.ts';
import type { TakePublish } from './diverted.ts';
import { createReasonCounts, type GateFigures } from './figures.ts';
import { defaultFrameLimits, type FrameLimits, guardFrames } from './frame-guard.ts';
import type { FrameRefusal } from './frame-refusals.ts';
import type { LimitedLog } from './limited-log.ts';
import { type Origin, originOf } from './origin.ts';
import { paceReads } from './paced-reads.ts';
import type { Pacing } from './pacing.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly limited: LimitedLog;
  readonly pacing: Pacing;
  readonly limits?: Partial<FrameLimits & ConnectionLimits> | undefined;
}

/** What is known of whoever is behind a stream, as soon as it is. */
export interface Visitor {
  /** Names it in the log. */
  identity?(): object;
  /** A command is under way on it. */
  isUrgent?(): boolean;
}

export interface Gate {
  /** False when there is no room: the stream is destroyed then. */
  enter(stream: Duplex & { readonly remoteAddress?: string | undefined }, visitor?: Visitor): boolean;
  /** The CONNACK that accepts this client has gone out. */
  admit(stream: Duplex): void;
  /** What this client publishes with QoS 0 or 1 goes to `take` from now on, and not to whoever reads the stream. */
  divert(stream: Duplex, take: TakePublish): void;
  /** A command is on its way to this client: what it says is read before what others say. */
  hurry(stream: Duplex): void;
  figures(): GateFigures;
}

export function createGate({ clock, limited, pacing, limits }: GateOptions): Gate {
  const frameLimits = { ...defaultFrameLimits, ...limits };
  const places = createPlaces({ ...defaultConnectionLimits, ...limits });
  const entered = new WeakMap<Duplex, { admit(): void; divert(take: TakePublish): void; hurry(): void }>();
  const refusedFrames = createReasonCounts();
  let pausedReads = 0;

  function note(refusal: FrameRefusal, { address, network }: Origin, identity: object): void {
    refusedFrames.add(refusal);
    limited.warn(
      `frame ${refusal} ${network}`,
      { code: 'connection-turned-away', address, ...identity, reason: refusal },
      'A connection was turned away at the gate.',
    );
  }

  return {
    enter(stream, { identity = () => ({}), isUrgent = () => false } = {}) {
      const origin = originOf(stream.remoteAddress);
      // Below the guard, so that what the guard keeps of a packet is all that it ever holds.
      const lane = paceReads(stream, pacing, isUrgent);
      const guard = guardFrames(stream, {
        ...{ clock, limits: frameLimits },
        onRefused: (refusal) => note(refusal, origin, identity()),
        onPaused: () => void pausedReads++,
      });
      const place = places.enter(origin, () => guard.refuse('gave-way'));
      if (typeof place === 'string') {
        guard.refuse(place);
        return false;
      }
      stream.on('close', place.leave);
      entered.set(stream, {
        hurry: lane.hurry,
        divert: guard.divert,
        admit() {
          guard.admit();
          place.keep();
        },
      });
      return true;
    },
    admit: (stream) => entered.get(stream)?.admit(),
    divert: (stream, take) => entered.get(stream)?.divert(take),
    hurry: (stream) => entered.get(stream)?.hurry(),
    figures: () => ({ refusedFrames: refusedFrames.all(), pausedReads, ...pacing.figures() }),
  };
}
