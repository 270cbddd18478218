// What locks of other makes and the gateway say to each other, for a person who looks on (`latchd capture`): so users of devices that nobody
// here has can send what they see.
import type { Clock } from '../domain/clock.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { CaptureTap, WireLine, WireMessage } from './capture-tap.ts';
import { withoutCodes } from './captured-text.ts';

export interface CaptureSource extends CaptureTap {
  /**
   * Calls `look` with each line from now on, of one lock or of all of the kind, until the function that it returns is called. The digits of
   * codes are blanked; `t` is seconds since now.
   */
  listen(kind: string, lockId: LockId | undefined, look: (line: object) => void): () => void;
}

interface Onlooker {
  readonly kind: string;
  readonly lockId: LockId | undefined;
  readonly since: number;
  look(line: object): void;
}

export function createCaptures({ clock }: { readonly clock: Clock }): CaptureSource {
  const onlookers = new Set<Onlooker>();

  return {
    isOn(kind) {
      for (const onlooker of onlookers) if (onlooker.kind === kind) return true;
      return false;
    },

    heard(kind, lockId, what) {
      for (const onlooker of onlookers) {
        if (onlooker.kind !== kind || (onlooker.lockId !== undefined && onlooker.lockId !== lockId)) continue;
        const t = Math.round(clock.monotonic() - onlooker.since) / 1_000;
        onlooker.look({ t, ...shown(what) });
      }
    },

    listen(kind, lockId, look) {
      const onlooker = { kind, lockId, since: clock.monotonic(), look };
      onlookers.add(onlooker);
      return () => onlookers.delete(onlooker);
    },
  };
}

function shown(what: WireLine): object {
  if (!('connect' in what)) return { from: what.from, ...message(what) };
  const { clientId, keepAlive, clean, will } = what.connect;
  return { from: what.from, connect: { clientId, keepAlive, clean, will: will && message(will) } };
}

function message({ topic, qos, retain, payload }: WireMessage): object {
  return { topic, qos, retain, payload: withoutCodes(payload) };
}
