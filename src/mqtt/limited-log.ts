// Warnings that somebody outside can provoke: one line a minute for each key, so that nobody can fill the disk with them.
import type { Log } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';

export interface LimitedLog {
  /** Writes the line, or only counts it when the key had one within the last minute; the next line says how many. */
  warn(key: string, fields: object, message: string): void;
}

const everyMs = 60_000;
const maxKeys = 2_000;

/** At most one line a minute for each key; remembers at most 2,000 keys. */
export function createLimitedLog({ clock, log }: { readonly clock: Clock; readonly log: Log }): LimitedLog {
  const keys = new Map<string, { at: number; unwritten: number }>();

  return {
    warn(key, fields, message) {
      const now = clock.monotonic();
      const last = keys.get(key);
      if (last !== undefined && now - last.at < everyMs) {
        last.unwritten++;
        return;
      }
      keys.delete(key);
      // Keys can hold addresses and identities of strangers: without a bound they could take all memory.
      if (keys.size >= maxKeys) keys.delete(keys.keys().next().value as string);
      keys.set(key, { at: now, unwritten: 0 });
      log.warn(last === undefined || last.unwritten === 0 ? fields : { ...fields, unwritten: last.unwritten }, message);
    },
  };
}
