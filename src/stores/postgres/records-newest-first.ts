// The records of several locks, the newest first: of few locks each by its index, of many in spans of ids; and the newest one of each lock.
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import type { NewestFirst, NewestFirstStep } from '../../domain/records/record-ports.ts';
import type { Database } from './database.ts';
import { type RecordRow, recordColumns, recordOf } from './record-rows.ts';
import { storableText } from './text-column.ts';

/** Up to so many locks are looked up one by one. */
const fewLocks = 64;
const leastIds = 1_000;
const mostIds = 16_384;

/** $1 to $7; of cards only the digits are compared, and whoever asked looks at each record that is found. */
const matching = `lock_date >= $2 AND lock_date <= $3 AND ($4::text[] IS NULL OR type = ANY ($4)) AND ($5::bool IS NULL OR success = $5)
  AND ($6::text IS NULL OR username = $6) AND ($7::text[] IS NULL OR ltrim(credential, '0') = ANY ($7) OR entry_id::text = ANY ($7))`;

const ofFewLocks = `SELECT one.* FROM unnest($1::bigint[]) AS wanted CROSS JOIN LATERAL (
    SELECT ${recordColumns} FROM record WHERE lock_id = wanted AND ${matching} AND record_id < $8 AND record_id <= $9 ORDER BY record_id DESC LIMIT $10
  ) AS one ORDER BY "recordId" DESC LIMIT $10`;

const newestOfLocks = `SELECT one.* FROM unnest($1::bigint[]) AS wanted CROSS JOIN LATERAL (
    SELECT ${recordColumns} FROM record WHERE lock_id = wanted AND record_id <= $2 ORDER BY record_id DESC LIMIT 1) AS one`;

/** The span is read by its ids alone: with the locks as well, the database would look each of them up in each partition. */
const inSpan = `WITH span AS MATERIALIZED (SELECT * FROM record WHERE record_id >= $8 AND record_id <= $9),
  looked AS MATERIALIZED (SELECT * FROM span WHERE lock_id IN (SELECT unnest($1::bigint[])))
  SELECT counted.*, found.* FROM (SELECT count(*) AS looked, min(record_id) AS lowest FROM looked) AS counted
  LEFT JOIN (SELECT ${recordColumns} FROM looked WHERE ${matching}) AS found ON true ORDER BY "recordId" DESC`;

type FoundRow = { readonly looked: number; readonly lowest: number | null } & {
  readonly [Member in keyof RecordRow]: RecordRow[Member] | null;
};

/** Of each of these locks the newest record, if it has one. `newest`: as in `walkNewestFirst`. */
export async function newestRecordOfEach(
  database: Pick<Database, 'query'>,
  newest: number,
  lockIds: readonly LockId[],
): Promise<readonly LockRecord[]> {
  return (await database.query<RecordRow>(newestOfLocks, [lockIds, newest])).map(recordOf);
}

/** `newest`: the highest recordId that readers may see; `oldest`: no record is older. */
export async function* walkNewestFirst(
  database: Pick<Database, 'query'>,
  range: { readonly newest: number; readonly oldest: number },
  query: NewestFirst,
): AsyncGenerator<NewestFirstStep> {
  yield* query.locks.size <= fewLocks ? lockByLock(database, range.newest, query) : spanBySpan(database, range, query);
}

function filterOf({ locks, from, to, types, success, username, holders }: NewestFirst): readonly unknown[] {
  const numbers = holders?.map((holder) => holder.slice(holder.indexOf(' ') + 1).replace(/^0+/, ''));
  return [[...locks], from, to, types?.map(storableText), success, username && storableText(username), numbers].map((one) => one ?? null);
}

async function* lockByLock(database: Pick<Database, 'query'>, newest: number, query: NewestFirst): AsyncGenerator<NewestFirstStep> {
  const filter = filterOf(query);
  for (let before = query.before; ; ) {
    const rows = await database.query<RecordRow>(ofFewLocks, [...filter, before, newest, query.atOnce]);
    const lowest = rows.at(-1)?.recordId;
    yield { records: rows.map(recordOf), lowest, looked: rows.length };
    if (lowest === undefined || rows.length < query.atOnce) return;
    before = lowest;
  }
}

async function* spanBySpan(
  database: Pick<Database, 'query'>,
  { newest, oldest }: { readonly newest: number; readonly oldest: number },
  query: NewestFirst,
): AsyncGenerator<NewestFirstStep> {
  const filter = filterOf(query);
  let ids = leastIds;
  for (let to = Math.min(newest, query.before - 1); to >= oldest; ) {
    const rows = await database.query<FoundRow>(inSpan, [...filter, to - ids + 1, to]);
    const [{ looked, lowest }] = rows as [FoundRow];
    const records: LockRecord[] = rows.filter((row): row is FoundRow & RecordRow => row.recordId !== null).map(recordOf);
    yield { records, lowest: lowest ?? undefined, looked };
    to -= ids;
    if (records.length < query.atOnce) ids = Math.min(mostIds, ids * 4);
  }
}
