// The logs of a data directory as rows: records with what is known of their streams, the access log, the audit log, the quarantine.
import type { AccessDraft, AccessLine } from '../../domain/access/access-log.ts';
import type { AuditEntry } from '../../domain/audit/audit-action.ts';
import { createEventProgress, type Remembered } from '../../domain/records/event-deduplication.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import { accessLineOf } from '../files/access/access-line.ts';
import { entryOf } from '../files/audit/audit-series.ts';
import { jsonOf } from '../files/checksummed-line.ts';
import type { OpenFile } from '../files/files.ts';
import { dayFileName, indexFileName, parseDayFileName } from '../files/records/day-file.ts';
import { recordsById } from '../files/records/records-by-id.ts';
import { decodeRemembered } from '../files/records/sealed-index.ts';
import { accessColumns } from './access-table.ts';
import { auditColumns, auditUpsert } from './audit-table.ts';
import type { Query } from './database.ts';
import { multirangeText } from './multirange.ts';
import { weekFrom, weekMs, weekOf } from './partitions.ts';
import { storableText } from './text-column.ts';

interface From {
  readonly query: Query;
  readonly read: (name: string) => Promise<Buffer>;
  readonly names: readonly string[];
}
export interface FromDays extends From {
  /** Runs `use` on an open file. */
  readonly within: <T>(name: string, use: (file: OpenFile) => Promise<T>) => Promise<T>;
  /** The highest recordId that may have been given. */
  readonly highest: number;
}

const rowsAtOnce = 2_000;

function* groupsOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += rowsAtOnce) yield all.slice(from, from + rowsAtOnce);
}

export async function moveInRecords({ query, read, within, names, highest }: FromDays): Promise<void> {
  const days = names
    .flatMap((name) => (name.startsWith('records/') ? (parseDayFileName(name.slice('records/'.length)) ?? []) : []))
    .sort((a, b) => a.firstRecordId - b.firstRecordId);
  const newestIndex = days.findLastIndex((day) => names.includes(`records/${indexFileName(day)}`));
  const progress = createEventProgress(() => []);
  let [count, last] = [0, highest];
  for (const [at, day] of days.entries()) {
    if (at === newestIndex) progress.load(decodeRemembered(await read(`records/${indexFileName(day)}`)));
    const lastRecordId = (days[at + 1]?.firstRecordId ?? Number.MAX_SAFE_INTEGER) - 1;
    await within(`records/${dayFileName(day)}`, async ({ read: readAt, size }) => {
      for await (const records of recordsById({ firstRecordId: day.firstRecordId, lastRecordId, bytes: await size(), readAt })) {
        if (at > newestIndex) for (const record of records) progress.restore(record);
        for (const group of groupsOf(records)) await insertRecords(query, group);
        count += records.length;
        last = Math.max(last, records.at(-1)?.recordId ?? 0);
      }
    });
  }
  await insertStreams(query, progress.remembered());
  await query("UPDATE head SET last = $1::bigint, gone = $1::bigint - $2::bigint WHERE feed = 'record'", [last, count]);
  await upTo(query, 'records', last);
}

/** The week of each is that in which it was stored, so that it is dropped with those of its age. */
async function insertRecords(query: Query, records: readonly LockRecord[]): Promise<void> {
  const yearMs = 366 * 86_400_000;
  for (const from of new Set(records.map(({ serverDate }) => weekOf(serverDate)))) {
    if (Math.abs(from - Date.now()) > yearMs) continue;
    const { name } = weekFrom(from);
    const [begin, end] = [from, from + weekMs].map((at) => new Date(at).toISOString());
    await query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF record FOR VALUES FROM ('${begin}') TO ('${end}')`);
  }
  const text = (value: string | undefined) => (value === undefined ? null : storableText(value));
  await query(
    `INSERT INTO record (record_id, lock_id, epoch, seq, type, success, credential, username, lock_date, server_date, reported_date, undated,
       reason, command, entry_id, stored_at)
     SELECT *, to_timestamp(server_date / 1000.0) FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bool[],
       $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bool[], $13::text[], $14::bigint[], $15::bigint[])
       AS r(record_id, lock_id, epoch, seq, type, success, credential, username, lock_date, server_date, reported_date, undated, reason,
       command, entry_id)`,
    [
      records.map((one) => one.recordId),
      records.map((one) => one.lockId),
      records.map((one) => storableText(one.epoch)),
      records.map((one) => one.seq),
      records.map((one) => storableText(one.type)),
      records.map((one) => one.success),
      records.map((one) => storableText(one.credential)),
      records.map((one) => storableText(one.username)),
      records.map((one) => one.lockDate),
      records.map((one) => one.serverDate),
      records.map((one) => one.reportedDate ?? null),
      records.map((one) => one.undated ?? null),
      records.map((one) => text(one.reason)),
      records.map((one) => one.command ?? null),
      records.map((one) => one.entryId ?? null),
    ],
  );
}

async function insertStreams(query: Query, { epochs, commands }: Remembered): Promise<void> {
  for (const group of groupsOf(epochs))
    await query(
      `INSERT INTO stream (lock_id, epoch, version, ranges, newest_at)
       SELECT lock_id, epoch, 1, ranges, newest_at FROM unnest($1::bigint[], $2::text[], $3::int8multirange[], $4::bigint[])
         AS s(lock_id, epoch, ranges, newest_at)`,
      [
        group.map(({ lockId }) => lockId),
        group.map(({ epoch }) => storableText(epoch)),
        group.map(({ ranges }) => multirangeText(ranges)),
        group.map(({ newestAt }) => newestAt),
      ],
    );
  for (const group of groupsOf(commands))
    await query('INSERT INTO used_command (lock_id, ranges) SELECT * FROM unnest($1::bigint[], $2::int8multirange[])', [
      group.map(({ lockId }) => lockId),
      group.map(({ ranges }) => multirangeText(ranges)),
    ]);
}

export async function moveInAccess({ query, read, names }: From): Promise<void> {
  let last = 0;
  for (const name of logFiles(names, 'access')) {
    const lines = linesWithin(await read(name)).map((line) => accessLineOf(line) as AccessLine);
    for (const group of groupsOf(lines)) {
      const drafts = group.map(({ id: _id, recordedAt: _at, ...draft }): AccessDraft => draft);
      await query(
        `INSERT INTO access_line (id, recorded_at, lock_id, topic, stands, is_current, is_contact, entry_id, person_id, credential_id, number, body)
         SELECT id, recorded_at, lock_id, topic, stands, false, is_contact, entry_id, person_id, credential_id, number, body
         FROM unnest($1::bigint[], $2::text[], $3::bool[], $4::bool[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::json[],
           $10::bigint[], $11::bigint[])
           AS l(lock_id, topic, stands, is_contact, entry_id, person_id, credential_id, number, body, id, recorded_at)`,
        [...accessColumns(drafts), group.map(({ id }) => id), group.map(({ recordedAt }) => recordedAt)],
      );
    }
    last = Math.max(last, lines.at(-1)?.id ?? 0);
  }
  await query(
    `UPDATE access_line SET is_current = true FROM (SELECT max(id) AS newest FROM access_line GROUP BY lock_id, topic) AS last WHERE id = newest`,
  );
  await query("UPDATE head SET last = $1 WHERE feed = 'access'", [last]);
  await upTo(query, 'access', last);
}

export async function moveInAudit({ query, read, names }: From): Promise<void> {
  let highest = 0;
  for (const [folder, isAttempt] of [
    ['audit', false],
    ['attempts', true],
  ] as const) {
    let last = 0;
    for (const name of logFiles(names, folder)) {
      const entries = linesWithin(await read(name)).map((line) => entryOf(line) as AuditEntry);
      // Of two lines with one id the later one holds.
      for (const group of groupsOf([...new Map(entries.map((entry) => [entry.id, entry])).values()]))
        await query(auditUpsert, auditColumns(group.map((entry) => ({ entry, isAttempt }))));
      last = Math.max(last, ...entries.map(({ id }) => id));
    }
    await upTo(query, folder, last);
    highest = Math.max(highest, last);
  }
  if (highest > 0) await query("SELECT setval('audit_id', $1)", [highest]);
}

export async function moveInQuarantine(query: Query, bytes: Buffer): Promise<void> {
  const messages = linesWithin(bytes).map((line) => jsonOf(line) as { at: number; deviceId: string; reason: string; payload: string });
  await query(
    'INSERT INTO quarantine (at, device_id, reason, payload) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[])',
    [
      messages.map(({ at }) => at),
      messages.map(({ deviceId }) => deviceId),
      messages.map(({ reason }) => Buffer.from(reason)),
      messages.map(({ payload }) => Buffer.from(payload)),
    ],
  );
}

/** In their order. */
function logFiles(names: readonly string[], folder: string): string[] {
  const found = names.flatMap((name) => {
    const day = name.startsWith(`${folder}/`) ? parseDayFileName(name.slice(folder.length + 1)) : undefined;
    return day === undefined ? [] : [{ name, first: day.firstRecordId }];
  });
  return found.sort((a, b) => a.first - b.first).map(({ name }) => name);
}

async function upTo(query: Query, folder: string, last: number): Promise<void> {
  await query('INSERT INTO carried_log (folder, up_to) VALUES ($1, $2)', [folder, last]);
}

/** Without their newlines; empty ones, as behind the lines of a file that is open, are left out. */
export function linesWithin(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from);
    const to = newline < 0 ? bytes.length : newline;
    if (to > from) lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}
