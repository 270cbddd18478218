// How the checks look at what was said in a whole run.
import type { LockSession } from '../session.ts';
import { type Entry, type Said, saidOn } from '../trace.ts';
import { heldUnless, type Verdict } from '../verdict.ts';

export function allSaid(session: LockSession): readonly Said[] {
  return session.trace.entries.filter((entry): entry is Said => entry.kind === 'said');
}

/** Broken with the first of which `problemOf` says something. */
export function each<One>(all: readonly One[], problemOf: (one: One) => string | undefined, due: string): Verdict {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== undefined) return heldUnless(problem, due);
  }
  return heldUnless(undefined, due);
}

/** When the session of this entry ended, with its connection or by a new hello on it, as behind a hub; now, when it has not. */
export function endOf(session: LockSession, { link, at }: Entry): number {
  const isEnd = (entry: Entry): boolean => entry.kind === 'closed' || saidOn('hello')(entry);
  return session.trace.entries.find((entry) => entry.link === link && entry.at > at && isEnd(entry))?.at ?? performance.now();
}

/** When we saw the entry, by the clock on the wall: milliseconds since 1970. */
export function wallTimeOf({ at }: Entry): number {
  return performance.timeOrigin + at;
}
