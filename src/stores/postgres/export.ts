// Reads the records of one lock from a database, whether a daemon works on it or not. Changes nothing.
import type { LockId } from '../../domain/locks/lock.ts';
import { type LockRecord, oldestStored } from '../../domain/records/record.ts';
import { isDoubtful } from '../files/clock-trust.ts';
import { type ExportRequest, noSuchLock } from '../files/verify/export.ts';
import type { Query } from './database.ts';
import { type OfflineOptions, openDatabase, requireData } from './offline.ts';
import { type RecordRow, recordColumns, recordOf } from './record-rows.ts';

const rowsAtOnce = 5_000;
const wanted = 'record WHERE lock_id = $1 AND lock_date >= $2 AND lock_date <= $3';
const some = `SELECT ${recordColumns} FROM ${wanted} AND record_id > $4 ORDER BY record_id LIMIT ${rowsAtOnce}`;
const clockState = `SELECT (SELECT (body ->> 'suspectSince')::bigint FROM document_row WHERE name = 'clock.json') AS "suspectSince",
  (SELECT server_date FROM record WHERE record_id = (SELECT last FROM head WHERE feed = 'record')) AS "newestAt"`;

/** As `exportRecords` of a data directory; a part is some thousand records. */
export async function* exportRows(options: OfflineOptions, request: ExportRequest): AsyncGenerator<readonly LockRecord[]> {
  const database = await openDatabase(options);
  try {
    await requireData(database.query, options.url);
    yield* rowsOf(database.query, request);
    if (!(await isKnown(database.query, request.lockId))) throw noSuchLock(request.lockId, options.url);
  } finally {
    await database.stop();
  }
}

async function* rowsOf(query: Query, request: ExportRequest): AsyncGenerator<readonly LockRecord[]> {
  const { lockId, from, to, now, recordDays, onProgress, onSuspectClock } = request;
  const [clock] = await query<{ suspectSince: number | null; newestAt: number | null }>(clockState);
  const mayBeWrong = isDoubtful(clock?.suspectSince ?? null, now, clock?.newestAt ?? undefined);
  if (mayBeWrong) onSuspectClock();
  const range = [lockId, Math.max(from, oldestStored(now, mayBeWrong, recordDays)), to];
  const [found] = await query<{ count: number }>(`SELECT count(*) AS count FROM ${wanted}`, range);
  const parts = Math.max(1, Math.ceil((found?.count ?? 0) / rowsAtOnce));
  let after = 0;
  for (let part = 1; part <= parts; part++) {
    const records = (await query<RecordRow>(some, [...range, after])).map(recordOf);
    onProgress(part, parts);
    if (records.length > 0) yield records;
    after = records.at(-1)?.recordId ?? after;
  }
}

/** Whether there is such a lock, or a record of a removed one. */
async function isKnown(query: Query, lockId: LockId): Promise<boolean> {
  const [row] = await query<{ is: boolean }>(
    'SELECT EXISTS (SELECT FROM document WHERE name = $1) OR EXISTS (SELECT FROM record WHERE lock_id = $2) AS is',
    [`locks/${lockId}.json`, lockId],
  );
  return row?.is === true;
}
