// The records above a recordId, by recordId: the newest from memory, older ones in spans of ids, of which the database finds the blocks.
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import type { Database } from './database.ts';
import type { RecentRecords } from './recent-records.ts';
import { type RecordRow, recordColumns, recordOf } from './record-rows.ts';

const atOnce = 1_000;
/** Ids of a span in which few records are wanted, or none is there. */
const mostIds = 65_536;

/** `OFFSET 0`: the span is read by its ids alone, because the locks would have to be looked up in each partition. */
const inSpan = `SELECT ${recordColumns} FROM (SELECT * FROM record WHERE record_id > $1 AND record_id <= $2 OFFSET 0) AS span
  WHERE $3::bigint[] IS NULL OR lock_id IN (SELECT unnest($3)) ORDER BY record_id LIMIT ${atOnce}`;

export interface SinceSources {
  readonly database: Pick<Database, 'query'>;
  readonly recent: RecentRecords;
  /** The highest recordId that readers may see. */
  readonly newest: () => number;
  /** All locks that have records. */
  readonly lockIds: () => readonly LockId[];
}

export async function* walkSince(
  { database, recent, newest, lockIds }: SinceSources,
  recordId: number,
  wants: (lockId: LockId) => boolean,
): AsyncGenerator<readonly LockRecord[]> {
  const to = newest();
  let ids = atOnce;
  for (let above = recordId; above < to; ) {
    const inMemory = recent.above(above);
    if (inMemory !== undefined) {
      above = inMemory.at(-1)?.recordId ?? to;
      yield inMemory.filter(({ lockId }) => wants(lockId));
      continue;
    }
    const all = lockIds();
    const wanted = all.filter(wants);
    const end = Math.min(to, above + ids);
    const rows = await database.query<RecordRow>(inSpan, [above, end, wanted.length === all.length ? null : wanted]);
    const isWhole = rows.length < atOnce;
    above = isWhole ? end : (rows.at(-1)?.recordId ?? end);
    if (isWhole) ids = Math.min(mostIds, rows.length * 2 < ids ? ids * 4 : ids);
    else ids = atOnce;
    yield rows.map(recordOf).filter(({ lockId }) => wants(lockId));
  }
}
