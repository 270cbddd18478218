// The gate of the broker: every stream passes here before any reader of MQTT sees it. Finds a place for it, puts a
// frame guard on it, and counts and logs whom it turns away.
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/ports.ts';
import { type ConnectionLimits, createPlaces, defaultConnectionLimits } from './connection-limits.ts';
import { createReasonCounts, type GateFigures } from './figures.ts';
import { defaultFrameLimits, type FrameLimits, guardFrames } from './frame-guard.ts';
import type { FrameRefusal } from './frame-refusals.ts';
import type { LimitedLog } from './limited-log.ts';

export interface GateOptions {
  readonly clock: Clock;
  readonly limited: LimitedLog;
  readonly limits?: Partial<FrameLimits & ConnectionLimits> | undefined;
}

export interface Gate {
  /** False when there is no room: the stream is destroyed then. `identity` names it in the log, if it can be named by then. */
  enter(stream: Duplex & { readonly remoteAddress?: string | undefined }, identity?: () => object): boolean;
  /** The CONNACK that accepts this client has gone out. */
  admit(stream: Duplex): void;
  figures(): GateFigures;
}

export function createGate({ clock, limited, limits }: GateOptions): Gate {
  const frameLimits = { ...defaultFrameLimits, ...limits };
  const places = createPlaces({ ...defaultConnectionLimits, ...limits });
  const admissions = new WeakMap<Duplex, () => void>();
  const refusedFrames = createReasonCounts();
  let pausedReads = 0;

  function note(refusal: FrameRefusal, address: string, identity: object): void {
    refusedFrames.add(refusal);
    limited.warn(`frame ${refusal} ${address}`, { address, ...identity, reason: refusal }, 'A connection was turned away at the gate.');
  }

  return {
    enter(stream, identity = () => ({})) {
      const address = stream.remoteAddress ?? 'unknown';
      const guard = guardFrames(stream, {
        ...{ clock, limits: frameLimits },
        onRefused: (refusal) => note(refusal, address, identity()),
        onPaused: () => void pausedReads++,
      });
      const place = places.enter(address, () => guard.refuse('gave-way'));
      if (typeof place === 'string') {
        guard.refuse(place);
        return false;
      }
      stream.once('close', place.leave);
      admissions.set(stream, () => {
        guard.admit();
        place.keep();
      });
      return true;
    },
    admit: (stream) => admissions.get(stream)?.(),
    figures: () => ({ refusedFrames: refusedFrames.all(), pausedReads }),
  };
}
