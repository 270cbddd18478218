// A record as a line of a day's file: flat JSON with a checksum.
import { z } from 'zod';
import type { LockId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { LockRecord, RecordDraft } from '../domain/record.ts';
import { isIntact } from './checked-line.ts';
import { id, lockId } from './id-schemas.ts';
import { plainPlace, plainRecord, type RecordPlace } from './plain-line.ts';

const text = z.string();
const millis = z.int();

const recordLine = z.object({
  recordId: id,
  lockId,
  epoch: text,
  seq: id,
  type: text,
  success: z.boolean(),
  credential: text,
  username: text,
  lockDate: millis,
  serverDate: millis,
  reportedDate: millis.exactOptional(),
}) satisfies z.ZodType<LockRecord>;

/** The body of the line; written by hand because every event passes here, some 25,000 a second when locks come back. */
export function recordBody(recordId: number, lockId: LockId, epoch: string, draft: RecordDraft): string {
  const { seq, type, success, credential, username, lockDate, serverDate, reportedDate } = draft;
  const reported = reportedDate === undefined ? '' : `,"reportedDate":${reportedDate}`;
  return (
    `{"recordId":${recordId},"lockId":${lockId},"epoch":${quoted(epoch)},"seq":${seq},"type":${quoted(type)},"success":${success},` +
    `"credential":${quoted(credential)},"username":${quoted(username)},"lockDate":${lockDate},"serverDate":${serverDate}${reported}`
  );
}

/** As JSON.stringify, which is only asked where something has to be escaped or may have to be: a loop is faster than a RegExp here. */
function quoted(plain: string): string {
  for (let n = 0; n < plain.length; n++) {
    const code = plain.charCodeAt(n);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return JSON.stringify(plain);
  }
  return `"${plain}"`;
}

/** The record of an intact line; undefined when it holds something else. */
export function decodeRecord(line: Buffer): LockRecord | undefined {
  const plain = plainRecord(line);
  if (plain !== undefined) return plain;
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  return recordLine.safeParse(value).data;
}

/** As `decodeRecord`, in less than half of its time. */
export function decodePlace(line: Buffer): RecordPlace | undefined {
  return plainPlace(line) ?? decodeRecord(line);
}

/** The record of a line as it was found on the disk; undefined when it is not exactly what was written. */
export function readRecord(line: Buffer): LockRecord | undefined {
  return isIntact(line) ? decodeRecord(line) : undefined;
}

/** The record of a line that is as it was written; another is logged and never served (Fault T5). */
export function intactRecord(line: Buffer, log: Log, file: string): LockRecord | undefined {
  const record = readRecord(line);
  if (!record) log.error({ code: 'records-damaged', file }, 'a record is damaged on the disk and cannot be shown');
  return record;
}

/** The same of several. */
export function intactRecords(lines: readonly Buffer[], log: Log, file: string): LockRecord[] {
  return lines.flatMap((line) => intactRecord(line, log, file) ?? []);
}

const dateMember = Buffer.from('"lockDate":');
const minus = 0x2d;

/** The lockDate of the line that lies there, without parsing it: inside a JSON string this member's name would have its quotes escaped. NaN when there is none. */
export function lockDateIn(bytes: Buffer, start: number, end: number): number {
  const found = bytes.indexOf(dateMember, start);
  if (found < 0 || found >= end) return Number.NaN;
  let at = found + dateMember.length;
  const isNegative = bytes[at] === minus;
  if (isNegative) at += 1;
  let date = 0;
  for (let digit = digitAt(bytes, at); digit >= 0 && digit <= 9; digit = digitAt(bytes, at)) {
    date = date * 10 + digit;
    at += 1;
  }
  return isNegative ? -date : date;
}

function digitAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - 0x30;
}
