// Several waits of a protocol over the one `wake` that its host gives it.
import type { Effect } from './device-protocol.ts';

export interface Waits<Name extends string> {
  /** Waits, in place of an earlier wait of this name. */
  begin(name: Name, afterMs: number, now: number): readonly Effect[];
  cancel(name: Name): void;
  /** The host has called `wake`: the waits that are over, and the effects that go on with the others. */
  over(now: number): { readonly names: readonly Name[]; readonly effects: readonly Effect[] };
}

interface Wait {
  readonly until: number;
  readonly afterMs: number;
}

export function createWaits<Name extends string>(): Waits<Name> {
  const waits = new Map<Name, Wait>();
  /** For which `wake` was asked last. */
  let next: Wait | undefined;

  /** A clock that is set back makes no wait longer than it was. */
  const leftMs = ({ until, afterMs }: Wait, now: number): number => Math.max(0, Math.min(afterMs, until - now));

  function ask(now: number): readonly Effect[] {
    next = [...waits.values()].sort((a, b) => leftMs(a, now) - leftMs(b, now))[0];
    return next === undefined ? [] : [{ kind: 'wake', afterMs: leftMs(next, now) }];
  }

  return {
    begin(name, afterMs, now) {
      waits.set(name, { until: now + afterMs, afterMs });
      return ask(now);
    },
    cancel(name) {
      waits.delete(name);
    },
    over(now) {
      const names = [...waits].filter(([, wait]) => wait === next || wait.until <= now).map(([name]) => name);
      for (const name of names) waits.delete(name);
      return { names, effects: ask(now) };
    },
  };
}
