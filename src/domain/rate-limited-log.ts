// Logs warnings that clients can provoke: one line a minute for each key, so that nobody can fill the disk with them.

import type { Clock } from './clock.ts';
import type { Log } from './part.ts';

export interface RateLimitedLog {
  /** Writes the line, or only counts it when the key had one within the last minute; the next line says how many were left out. */
  warn(key: string, fields: object, message: string): void;
}

const everyMs = 60_000;
const maxKeys = 2_000;
/** Lines a minute in all, because a client with many addresses or identities has many keys. */
const maxLines = 300;

/** At most one line a minute for each key, and 300 in all; remembers at most 2,000 keys. */
export function createRateLimitedLog({ clock, log }: { readonly clock: Clock; readonly log: Log }): RateLimitedLog {
  const keys = new Map<string, { at: number; unwritten: number }>();
  let minute = { since: Number.NEGATIVE_INFINITY, lines: 0, unwritten: 0 };

  /** False when the lines of this minute are used up. */
  function mayWrite(now: number): boolean {
    if (now - minute.since >= everyMs) {
      const { unwritten } = minute;
      minute = { since: now, lines: 0, unwritten: 0 };
      if (unwritten > 0)
        log.warn({ code: 'warnings-left-out', unwritten }, 'So many kinds of warnings came within a minute that not all were written.');
    }
    if (minute.lines < maxLines) {
      minute.lines++;
      return true;
    }
    minute.unwritten++;
    return false;
  }

  return {
    warn(key, fields, message) {
      const now = clock.monotonic();
      const last = keys.get(key);
      if (last !== undefined && now - last.at < everyMs) {
        last.unwritten++;
        return;
      }
      if (!mayWrite(now)) return;
      keys.delete(key);
      // Keys can hold addresses and identities of strangers: without a bound they could take all memory.
      if (keys.size >= maxKeys) keys.delete(keys.keys().next().value as string);
      keys.set(key, { at: now, unwritten: 0 });
      log.warn(last === undefined || last.unwritten === 0 ? fields : { ...fields, unwritten: last.unwritten }, message);
    },
  };
}
