// What the log said to be wrong within the last day, for people who cannot read the log.
import type { Clock } from './clock.ts';
import type { Log } from './part.ts';

export interface Warning {
  readonly level: 'warn' | 'error' | 'fatal';
  /** The code of the log line; empty when it has none. */
  readonly code: string;
  /** The sentence of the log line. */
  readonly message: string;
  /** The lock that it was about; null: none. */
  readonly lockId: number | null;
  /** What it was about, as `name value` pairs of its last line; dates in ISO 8601. */
  readonly detail: string;
  /** Epoch milliseconds of the first and of the last such line. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

export interface RecentWarnings {
  /** A log that writes to this one, and keeps what is worse than `info`. */
  noted(log: Log): Log;
  /** Those of the last day, the latest first. */
  list(): readonly Warning[];
}

/** Lines of the same code about the same lock are one warning. Beyond this many the one that was quiet the longest is forgotten. */
const warningsAtMost = 200;
const dayMs = 86_400_000;
const detailLength = 300;
/** JavaScript has no later date. */
const farthestDate = 8.64e15;
/** The names of fields that are epoch milliseconds. */
const isDate = /^(?:since|until)$|(?:At|Date)$/;

export function createRecentWarnings(clock: Pick<Clock, 'now'>): RecentWarnings {
  /** The one that was quiet the longest first. */
  const known = new Map<string, Warning>();

  function note(level: Warning['level'], fields: object, message: string): void {
    const { code = '', lockId } = fields as { readonly code?: unknown; readonly lockId?: unknown };
    const key = `${code} ${lockId ?? ''} ${code === '' ? message : ''}`;
    const before = known.get(key);
    const now = clock.now();
    known.delete(key);
    known.set(key, {
      ...{ level, code: String(code), message, detail: detailOf(fields), lockId: typeof lockId === 'number' ? lockId : null },
      ...{ firstAt: before?.firstAt ?? now, lastAt: now, count: (before?.count ?? 0) + 1 },
    });
    const [oldest] = known.keys();
    if (known.size > warningsAtMost && oldest !== undefined) known.delete(oldest);
  }

  return {
    noted(log) {
      const noting = (level: Warning['level']) => (fields: object, message: string) => {
        note(level, fields, message);
        log[level](fields, message);
      };
      return { debug: log.debug, info: log.info, warn: noting('warn'), error: noting('error'), fatal: noting('fatal') };
    },
    list() {
      const since = clock.now() - dayMs;
      return [...known.values()].filter(({ lastAt }) => lastAt >= since).reverse();
    },
  };
}

function detailOf(fields: object): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'code') return [];
    if (value instanceof Error) return [value.message];
    if (typeof value === 'number' && isDate.test(name) && Math.abs(value) < farthestDate)
      return [`${name} ${new Date(value).toISOString()}`];
    return ['string', 'number', 'boolean'].includes(typeof value) && value !== '' ? [`${name} ${value}`] : [];
  });
  return pairs.join(', ').slice(0, detailLength);
}
