// The files that a data directory would have of the database, made from its rows, one after the other. So what reads a data directory (backup,
// check, migration) reads a database as well.
import type { AccessDraft } from '../../domain/access/access-log.ts';
import { writtenLine } from '../files/access/access-line.ts';
import { checksummedLine } from '../files/checksummed-line.ts';
import { type DayName, dayFileName, parseDayFileName, utcDay } from '../files/records/day-file.ts';
import { recordLine } from '../files/records/record-line.ts';
import { authorityFiles } from './authority-table.ts';
import type { Query } from './database.ts';
import { type RecordRow, recordColumns, recordOf } from './record-rows.ts';
import { bytesOf, namedDocuments, storedUnder } from './stored-documents.ts';

/** A part of a file, in whole lines. All parts of a file follow each other; only one of records may have more than one. */
export interface DerivedPart {
  /** As in a data directory. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

type WholeFile = Pick<DerivedPart, 'name' | 'bytes'>;

/** A line of a log: its number, its date, and itself with its newline. */
interface LogLine {
  readonly id: number;
  readonly at: number;
  readonly line: string;
}

interface GrowingLog {
  readonly folder: string;
  /** The lines above this number, in their order, some at a time. */
  readonly above: (query: Query, id: number) => Promise<readonly LogLine[]>;
  /** Whether a file of this day and so many bytes takes no line of this date. */
  readonly isFull: (day: string, at: number, bytes: number) => boolean;
}

const linesAtOnce = 5_000;
const dayMs = 86_400_000;

const auditLog = (folder: string, isAttempt: boolean): GrowingLog => ({
  folder,
  async above(query, id) {
    const sql = `SELECT audit_id AS id, at, body FROM audit WHERE is_attempt = $1 AND audit_id > $2 ORDER BY audit_id LIMIT ${linesAtOnce}`;
    const rows = await query<{ id: number; at: number; body: object }>(sql, [isAttempt, id]);
    return rows.map((row) => ({ id: row.id, at: row.at, line: checksummedLine(row.body) }));
  },
  isFull: (day, at, bytes) => bytes >= 2 << 20 || utcDay(at).slice(0, 7) !== day.slice(0, 7),
});

/** As the file store fills its files. */
export const growingLogs: readonly GrowingLog[] = [
  {
    folder: 'records',
    above: recordsAbove,
    isFull: (day, at) => utcDay(at) !== day,
  },
  {
    folder: 'access',
    async above(query, id) {
      const sql = `SELECT id, recorded_at AS "recordedAt", body FROM access_line WHERE id > $1 ORDER BY id LIMIT ${linesAtOnce}`;
      const rows = await query<{ id: number; recordedAt: number; body: AccessDraft }>(sql, [id]);
      return rows.map((row) => ({
        id: row.id,
        at: row.recordedAt,
        line: checksummedLine(writtenLine({ ...row.body, id: row.id, recordedAt: row.recordedAt })),
      }));
    },
    isFull: (day, at, bytes) => bytes >= 4 << 20 || at - Date.parse(day) >= 7 * dayMs,
  },
  auditLog('audit', false),
  auditLog('attempts', true),
];

/** Within a few numbers, because their index finds numbers but gives no order. */
async function recordsAbove(query: Query, id: number): Promise<readonly LogLine[]> {
  const sql = `SELECT ${recordColumns} FROM record WHERE record_id > $1 AND record_id <= $2 ORDER BY record_id`;
  const rows = await query<RecordRow>(sql, [id, id + linesAtOnce]);
  if (rows.length === 0) {
    const [next] = await query<{ id: number | null }>('SELECT min(record_id) AS id FROM record WHERE record_id > $1', [id]);
    return next?.id == null ? [] : recordsAbove(query, next.id - 1);
  }
  return rows.map((row) => {
    const { recordId, lockId, epoch, ...draft } = recordOf(row);
    return { id: recordId, at: draft.serverDate, line: recordLine(recordId, lockId, epoch, draft) };
  });
}

/** `carried`: the names of files that were moved in. All of one transaction. */
export async function* derivedFiles(query: Query, carried: readonly string[]): AsyncGenerator<DerivedPart> {
  for (const files of [documentFiles, reportFiles, authorityFiles]) for await (const file of files(query)) yield { ...file, isLast: true };
  for (const log of growingLogs) yield* logFiles(query, log, carried);
}

async function* documentFiles(query: Query): AsyncGenerator<WholeFile> {
  const [records] = await query<{ last: number }>("SELECT last FROM head WHERE feed = 'record'");
  for await (const some of namedDocuments(query))
    for await (const stored of storedUnder(query, some))
      for (const [name, one] of stored) {
        const bytes = bytesOf(one);
        yield { name, bytes: name === 'counters.json' ? withRecordId(bytes, records?.last ?? 0) : bytes };
      }
}

/** In files this document has the highest recordId, in a database the head of the records. */
function withRecordId(bytes: Buffer, last: number): Buffer {
  const counters = JSON.parse(bytes.toString()) as { readonly recordId: number };
  return counters.recordId >= last ? bytes : Buffer.from(`${JSON.stringify({ ...counters, recordId: last }, null, 1)}\n`);
}

async function* reportFiles(query: Query): AsyncGenerator<WholeFile> {
  const document = (name: string, schemaVersion: number, content: object) => ({
    name,
    bytes: Buffer.from(`${JSON.stringify({ schemaVersion, ...content }, null, 1)}\n`),
  });
  const statuses = await query<object>(
    `SELECT lock_id AS "lockId", state, state_at AS "stateAt", battery_percent AS "batteryPercent", last_seen_at AS "lastSeenAt",
       cards_on_lock AS "cardsOnLock" FROM status ORDER BY lock_id`,
  );
  if (statuses.length > 0) yield document('status.json', 2, { statuses });
  const batteries = await query<object>('SELECT lock_id AS "lockId", levels FROM battery ORDER BY lock_id');
  if (batteries.length > 0) yield document('battery.json', 1, { batteries });
  const messages = await query<{ at: number; deviceId: string; reason: Buffer; payload: Buffer }>(
    'SELECT at, device_id AS "deviceId", reason, payload FROM quarantine ORDER BY id',
  );
  if (messages.length === 0) return;
  const lines = messages.map(({ at, deviceId, reason, payload }) =>
    checksummedLine({ at, deviceId, reason: reason.toString(), payload: payload.toString() }),
  );
  yield { name: 'quarantine.jsonl', bytes: Buffer.from(lines.join('')) };
}

/** Where files were moved in their names say where each begins; what came later goes into files as the file store would have made them. */
async function* logFiles(query: Query, { folder, above, isFull }: GrowingLog, carried: readonly string[]): AsyncGenerator<DerivedPart> {
  const begins = carried
    .flatMap((name) => (name.startsWith(`${folder}/`) ? (parseDayFileName(name.slice(folder.length + 1)) ?? []) : []))
    .sort((a, b) => a.firstRecordId - b.firstRecordId);
  const [log] = await query<{ upTo: number }>('SELECT up_to AS "upTo" FROM carried_log WHERE folder = $1', [folder]);
  const upTo = log?.upTo ?? 0;
  let current: { readonly name: DayName; lines: string[]; bytes: number } | undefined;
  const begin = (name: DayName) => {
    current = { name, lines: [], bytes: 0 };
  };
  /** What the file has since its last part. */
  function part(isLast: boolean): DerivedPart[] {
    if (current === undefined) return [];
    const bytes = Buffer.from(current.lines.join(''));
    current.lines = [];
    return [{ name: `${folder}/${dayFileName(current.name)}`, bytes, isLast }];
  }
  let id = 0;
  for (let some = await above(query, id); some.length > 0; some = await above(query, id)) {
    for (const one of some) {
      for (let next = begins[0]; next !== undefined && next.firstRecordId <= one.id; next = begins[0]) {
        yield* part(true);
        begin(next);
        begins.shift();
      }
      if (current === undefined || (one.id > upTo && isFull(current.name.day, one.at, current.bytes))) {
        yield* part(true);
        begin({ day: utcDay(one.at), firstRecordId: one.id });
      }
      current?.lines.push(one.line);
      if (current !== undefined) current.bytes += one.line.length;
      id = one.id;
    }
    if (folder === 'records') yield* part(false);
  }
  for (const next of begins) {
    yield* part(true);
    begin(next);
  }
  yield* part(true);
}
