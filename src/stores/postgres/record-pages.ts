// Pages of the records of a lock, the newest first, with exact totals. The total of the last question about a lock is in memory, and grows with
// its records.
import type { LockId } from '../../domain/locks/lock.ts';
import { type Page, pageOf } from '../../domain/page.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import type { RecordQuery } from '../../domain/records/record-ports.ts';
import type { Database } from './database.ts';
import { type RecordRow, recordColumns, recordOf } from './record-rows.ts';

/**
 * The dates are one condition whose share PostgreSQL does not guess from their values: with a guess it would plan every question anew, over all
 * partitions, which takes longer than the answer.
 */
const matching = 'lock_id = $1 AND record_id <= $2 AND CASE WHEN lock_date >= $3 AND lock_date <= $4 THEN true ELSE false END';
/** For the same reason their number is no parameter. */
const fewRows = 20;
const newestRows = `SELECT ${recordColumns} FROM record WHERE ${matching} ORDER BY record_id DESC LIMIT ${fewRows}`;
/** What lies further back is looked up by the index alone, and only the rows of the page are read. */
const rowsByIds = `SELECT ${recordColumns} FROM record,
    (SELECT min(record_id) AS lowest_id, max(record_id) AS highest_id FROM (
      SELECT record_id FROM record WHERE ${matching} ORDER BY record_id DESC OFFSET $5 LIMIT $6) AS ids) AS ends
  WHERE ${matching} AND record_id >= lowest_id AND record_id <= highest_id ORDER BY record_id DESC`;

function withTotal(rows: string): string {
  return `SELECT counted.*, page.* FROM (SELECT count(*) AS total, min(lock_date) AS lowest FROM record WHERE ${matching}) AS counted
    LEFT JOIN (${rows}) AS page ON true ORDER BY "recordId" DESC`;
}
const newestWithTotal = withTotal(newestRows);
const byIdsWithTotal = withTotal(rowsByIds);

/** The last total of a lock. It is the same from any date up to that of the oldest record that was counted. */
interface Total {
  readonly from: number;
  readonly to: number;
  counted?: { readonly total: number; readonly lowest: number };
}

type CountedRow = { readonly total: number; readonly lowest: number | null } & {
  readonly [Member in keyof RecordRow]: RecordRow[Member] | null;
};

export interface PageQueries {
  page(query: RecordQuery): Promise<Page<LockRecord>>;
  /** The lock has these records, too, which `newest` has just reached. */
  added(lockId: LockId, records: readonly Pick<LockRecord, 'lockDate'>[]): void;
  /** Records were deleted. */
  deleted(): void;
}

/** `newest`: the highest recordId that readers may see. */
export function createPageQueries(database: Pick<Database, 'query'>, newest: () => number): PageQueries {
  const totals = new Map<LockId, Total>();

  function knownTotal({ lockId, from, to }: RecordQuery): number | undefined {
    const known = totals.get(lockId);
    if (known?.counted === undefined || known.to !== to || from < known.from || from > known.counted.lowest) return undefined;
    return known.counted.total;
  }

  return {
    async page(query) {
      const { lockId, from, to, pageNo, pageSize } = query;
      const offset = Math.min((pageNo - 1) * pageSize, Number.MAX_SAFE_INTEGER);
      const isNewest = offset === 0 && pageSize <= fewRows;
      const values = [lockId, newest(), from, to, ...(isNewest ? [] : [offset, pageSize])];
      const listOf = (rows: readonly RecordRow[]) => rows.slice(0, pageSize).map(recordOf);
      const known = knownTotal(query);
      if (known !== undefined) {
        const rows = offset >= known ? [] : await database.query<RecordRow>(isNewest ? newestRows : rowsByIds, values);
        return pageOf(listOf(rows), known, query);
      }
      const counting: Total = { from, to };
      totals.set(lockId, counting);
      const rows = await database.query<CountedRow>(isNewest ? newestWithTotal : byIdsWithTotal, values);
      const [{ total, lowest }] = rows as [CountedRow];
      // Records that came meanwhile have taken it away.
      counting.counted = { total, lowest: lowest ?? Number.MAX_SAFE_INTEGER };
      return pageOf(listOf(rows.filter((row): row is CountedRow & RecordRow => row.recordId !== null)), total, query);
    },
    added(lockId, records) {
      const known = totals.get(lockId);
      if (known === undefined) return;
      const { from, to, counted } = known;
      const dates = records.map(({ lockDate }) => lockDate).filter((date) => date >= from && date <= to);
      if (counted === undefined) totals.delete(lockId);
      else known.counted = { total: counted.total + dates.length, lowest: Math.min(counted.lowest, ...dates) };
    },
    deleted: () => totals.clear(),
  };
}
