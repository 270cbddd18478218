// A record as a line of a day's file: flat JSON with a checksum (Store 4.2).
import { z } from 'zod';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { LockRecord, RecordDraft } from '../../../domain/records/record.ts';
import { isIntact, jsonOf } from '../checksummed-line.ts';
import { idSchema, lockId } from '../documents/id-schemas.ts';
import { jsonBytes, LineBuffer, pieceOf } from './line-buffer.ts';
import { plainRecord } from './record-parser.ts';

const text = z.string();
const millis = z.int();

const recordSchema = z.object({
  recordId: idSchema,
  lockId,
  epoch: text,
  seq: idSchema,
  type: text,
  success: z.boolean(),
  credential: text,
  username: text,
  lockDate: millis,
  serverDate: millis,
  reportedDate: millis.exactOptional(),
  undated: z.literal(true).exactOptional(),
  reason: text.exactOptional(),
  command: millis.exactOptional(),
  entryId: idSchema.exactOptional(),
}) satisfies z.ZodType<LockRecord>;

/** The text before each member, with its comma. */
const before = {
  recordId: pieceOf('{"recordId":'),
  lockId: pieceOf(',"lockId":'),
  epoch: pieceOf(',"epoch":'),
  seq: pieceOf(',"seq":'),
  type: pieceOf(',"type":'),
  success: pieceOf(',"success":'),
  credential: pieceOf(',"credential":'),
  username: pieceOf(',"username":'),
  lockDate: pieceOf(',"lockDate":'),
  serverDate: pieceOf(',"serverDate":'),
  reportedDate: pieceOf(',"reportedDate":'),
  undated: pieceOf(',"undated":true'),
  reason: pieceOf(',"reason":'),
  command: pieceOf(',"command":'),
  entryId: pieceOf(',"entryId":'),
};
const yes = pieceOf('true');
const no = pieceOf('false');
/** The names of all members, their numbers and `false`. */
const mostBytesBesidesTexts = Object.values(before).reduce((sum, { length }) => sum + length, 0) + 8 * 17 + no.length;

/**
 * Puts the line of a record behind the others; hand-written, because every event passes here, and very many do when all locks come back at
 * once.
 */
export function putRecord(lines: LineBuffer, recordId: number, lockId: LockId, epoch: string, draft: RecordDraft): void {
  const { seq, type, success, credential, username, lockDate, serverDate, reportedDate, undated, reason, command, entryId } = draft;
  const texts = jsonBytes(epoch) + jsonBytes(type) + jsonBytes(credential) + jsonBytes(username) + jsonBytes(reason ?? '');
  lines.begin(mostBytesBesidesTexts + texts);
  lines.put(before.recordId);
  lines.putInteger(recordId);
  lines.put(before.lockId);
  lines.putInteger(lockId);
  lines.put(before.epoch);
  lines.putText(epoch);
  lines.put(before.seq);
  lines.putInteger(seq);
  lines.put(before.type);
  lines.putText(type);
  lines.put(before.success);
  lines.put(success ? yes : no);
  lines.put(before.credential);
  lines.putText(credential);
  lines.put(before.username);
  lines.putText(username);
  lines.put(before.lockDate);
  lines.putInteger(lockDate);
  lines.put(before.serverDate);
  lines.putInteger(serverDate);
  if (reportedDate !== undefined) {
    lines.put(before.reportedDate);
    lines.putInteger(reportedDate);
  }
  // This text comes last, so it fits in the space of the members that are absent.
  if (undated) lines.put(before.undated);
  if (reason !== undefined) {
    lines.put(before.reason);
    lines.putText(reason);
  }
  if (command !== undefined) {
    lines.put(before.command);
    lines.putInteger(command);
  }
  if (entryId !== undefined) {
    lines.put(before.entryId);
    lines.putInteger(entryId);
  }
  lines.end();
}

/** The same line alone, with its newline. */
export function recordLine(recordId: number, lockId: LockId, epoch: string, draft: RecordDraft): string {
  const lines = new LineBuffer();
  putRecord(lines, recordId, lockId, epoch, draft);
  return lines.bytes().toString();
}

/** The record in an intact line; undefined when the line holds something else. */
export function decodeRecord(line: Buffer): LockRecord | undefined {
  const plain = plainRecord(line);
  if (plain !== undefined) return plain;
  return recordSchema.safeParse(jsonOf(line)).data;
}

/** The record in a line from the disk; undefined when the line is not exactly what was written. */
export function readRecord(line: Buffer): LockRecord | undefined {
  return isIntact(line) ? decodeRecord(line) : undefined;
}

/** The record in a line; a damaged line is logged and never served (Fault T5). */
export function intactRecord(line: Buffer, log: Log, file: string): LockRecord | undefined {
  const record = readRecord(line);
  if (!record) log.error({ code: 'records-damaged', file }, 'a record is damaged on the disk and cannot be shown');
  return record;
}

/** The same for several lines. */
export function intactRecords(lines: readonly Buffer[], log: Log, file: string): LockRecord[] {
  return lines.flatMap((line) => intactRecord(line, log, file) ?? []);
}

const dateMember = Buffer.from('"lockDate":');
const minus = 0x2d;

/**
 * The lockDate of the line at this position, without parsing it: inside a JSON string, the quotes of the member's name would be escaped.
 * NaN when there is none.
 */
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
