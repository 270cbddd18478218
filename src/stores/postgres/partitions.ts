// The partitions of the records: one for each week of the database's clock, made two months ahead, and dropped whole when it is too old.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import type { Database, Query } from './database.ts';

const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;
const weeksAhead = 9;
/** A lock that everybody waits for is not asked for longer, and then again. */
const lockTimeout = "SET LOCAL lock_timeout = '500ms'";
const attempts = 10;
const retryMs = 1_000;
const [lockNotAvailable, partitionOverlaps] = ['55P03', '23514'];

/** The last blocks of a week have no summary by themselves, so every look at a span of ids would read them. */
const summarizeEnds = `SELECT brin_summarize_new_values(i.indexrelid) FROM pg_inherits p JOIN pg_index i ON i.indrelid = p.inhrelid
  JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam WHERE p.inhparent = 'record'::regclass AND a.amname = 'brin'`;

export interface Week {
  readonly name: string;
  /** Where it begins, on the database's clock. */
  readonly from: number;
}

export interface Partitions {
  /** Makes those of this week and of the weeks to come. Never rejects: without them records go to the default one. */
  make(): Promise<void>;
  /**
   * Drops the oldest one whose records are all older than `recordDays` days or six calendar months. Resolves with its name and how many
   * records it had; undefined: there is none, or somebody read it all the time. Rejects with `storage-unavailable`.
   */
  dropOldest(now: number, recordDays: number): Promise<{ readonly name: string; readonly records: number } | undefined>;
  /** How many there are. */
  count(): number;
}

export function createPartitions(options: {
  readonly database: Pick<Database, 'query' | 'transaction' | 'isStopped'>;
  readonly clock: Clock;
  readonly log: Log;
}): Partitions {
  const { database, clock, log } = options;
  let count = 0;

  async function present(): Promise<readonly Week[]> {
    const rows = await database.query<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'record'::regclass ORDER BY name",
    );
    const weeks = rows.map(({ name }) => ({ name, from: Date.parse(name.replace(/^record_/, '').replaceAll('_', '-')) }));
    return weeks.filter(({ from }) => !Number.isNaN(from));
  }
  /** Each work in a transaction of its own, again while somebody holds it up; undefined: it did not get through. */
  async function unhurried<T>(work: (query: Query) => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        return await database.transaction(async (query) => {
          await query(lockTimeout);
          const outcome = await work(query);
          await query("SELECT advance('record', 0)");
          return outcome;
        });
      } catch (error) {
        if (stateOf(error) !== lockNotAvailable) throw error;
        await new Promise<void>((resolve) => clock.timer(retryMs, resolve));
      }
    }
    return undefined;
  }
  async function makeMissing(): Promise<void> {
    const [row] = await database.query<{ now: number }>('SELECT (extract(epoch FROM now()) * 1000)::bigint AS now');
    const names = new Set((await present()).map(({ name }) => name));
    const first = weekOf(row?.now ?? clock.now());
    const missing = Array.from({ length: weeksAhead + 1 }, (_, week) => weekFrom(first + week * weekMs)).filter(
      ({ name }) => !names.has(name),
    );
    if (missing.length > 0) await unhurried((query) => makeAll(query, missing));
    count = (await present()).length;
    await database.query(summarizeEnds);
  }
  async function makeAll(query: Query, missing: readonly Week[]): Promise<void> {
    for (const { name, from } of missing) {
      const [begin, end] = [from, from + weekMs].map((at) => new Date(at).toISOString());
      await query('SAVEPOINT week');
      try {
        await query(`CREATE TABLE ${name} PARTITION OF record FOR VALUES FROM ('${begin}') TO ('${end}')`);
      } catch (error) {
        // Records that a wrong clock has put there are in the default one, and so is what comes.
        if (stateOf(error) !== partitionOverlaps) throw error;
        await query('ROLLBACK TO week');
      }
    }
  }
  /** Whether no later week has a record that is older than one of it: then the clock of the database was right, or it does not matter. */
  async function isOldest({ name, from }: Week): Promise<boolean> {
    const [row] = await database.query<{ isOldest: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM record WHERE stored_at >= $1::timestamptz AND tableoid <> 'record_default'::regclass
         AND record_id < (SELECT max(record_id) FROM ${name})) AS "isOldest"`,
      [new Date(from + weekMs).toISOString()],
    );
    return row?.isOldest === true;
  }
  async function drop(query: Query, name: string): Promise<number> {
    await query(`LOCK TABLE ${name} IN SHARE MODE`);
    const [week] = await query<{ records: number; last: number }>(
      `SELECT count(*) AS records, coalesce(max(record_id), 0) AS last FROM ${name}`,
    );
    const { records, last } = week as { records: number; last: number };
    await query(`ALTER TABLE record DETACH PARTITION ${name}`);
    // Whatever its date is, it is older than the last one of that week.
    const stray = await query('DELETE FROM record_default WHERE record_id <= $1 RETURNING record_id', [last]);
    await query(`DROP TABLE ${name}`);
    const gone = records + stray.length;
    await query("UPDATE head SET gone = gone + $1, floor = greatest(floor, $2) WHERE feed = 'record'", [gone, last]);
    return gone;
  }

  return {
    async make() {
      try {
        await makeMissing();
      } catch (error) {
        // Whoever starts next makes them.
        if (database.isStopped()) return;
        log.warn(
          { code: 'partitions-not-made', err: error },
          'the tables for the records of the next weeks could not be made; it is tried again',
        );
      }
    },
    async dropOldest(now, recordDays) {
      // A record's lockDate may be a day after it was stored.
      const cutoff = retentionCutoff(now, recordDays) - dayMs;
      for (const week of await present()) {
        if (week.from + weekMs > cutoff) return undefined;
        if (!(await isOldest(week))) continue;
        const records = await unhurried((query) => drop(query, week.name));
        count -= records === undefined ? 0 : 1;
        return records === undefined ? undefined : { name: week.name, records };
      }
      return undefined;
    },
    count: () => count,
  };
}

/** When the week (from Monday, UTC) of this date begins. */
export function weekOf(at: number): number {
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return Math.floor(at / dayMs) * dayMs - sinceMonday * dayMs;
}

/** Its partition. */
export function weekFrom(from: number): Week {
  return { name: `record_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '_')}`, from };
}

/** The SQLSTATE, also of what the database has put into its own words. */
function stateOf(error: unknown): unknown {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return cause?.code ?? code;
}
