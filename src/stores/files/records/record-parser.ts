// Parses a record's line byte by byte: exactly the layout that `putRecord` writes, without escaped characters. Large pages and a start with
// a full day read so many lines that JSON.parse and the schema would take much longer; every other line goes through those.
import type { LockId } from '../../../domain/locks/lock.ts';
import type { LockRecord } from '../../../domain/records/record.ts';

interface Cursor {
  readonly line: Buffer;
  /** `nowhere` after a mismatch with the expected text. */
  at: number;
}
const nowhere = -1;

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));
const before = {
  recordId: bytesOf('{"recordId":'),
  lockId: bytesOf(',"lockId":'),
  epoch: bytesOf(',"epoch":"'),
  seq: bytesOf('","seq":'),
  type: bytesOf(',"type":"'),
  success: bytesOf('","success":'),
  credential: bytesOf(',"credential":"'),
  username: bytesOf('","username":"'),
  lockDate: bytesOf('","lockDate":'),
  serverDate: bytesOf(',"serverDate":'),
  reportedDate: bytesOf(',"reportedDate":'),
  undated: bytesOf(',"undated":true'),
  reason: bytesOf(',"reason":"'),
  command: bytesOf(',"command":'),
  entryId: bytesOf(',"entryId":'),
  checksum: bytesOf(',"crc":"'),
};
const endOfText = bytesOf('"');
const [yes, no] = [bytesOf('true'), bytesOf('false')];
const checksumBytes = 8 + '"}'.length;
const [zero, minus, quote, backslash] = [0x30, 0x2d, 0x22, 0x5c];
const [firstPlain, lastPlain] = [0x20, 0x7e];
/** A number of this many digits is exact. */
const mostDigits = 15;

/** The record in an intact line; undefined when the line has another layout. */
export function plainRecord(line: Buffer): LockRecord | undefined {
  const cursor = { line, at: 0 };
  const recordId = numberAfter(cursor, before.recordId);
  const lockId = numberAfter(cursor, before.lockId) as LockId;
  const epoch = textAfter(cursor, before.epoch);
  const seq = numberAfter(cursor, before.seq);
  const type = textAfter(cursor, before.type);
  const success = flagAfter(cursor, before.success);
  const credential = textAfter(cursor, before.credential);
  const username = textAfter(cursor, before.username);
  const lockDate = numberAfter(cursor, before.lockDate);
  const serverDate = numberAfter(cursor, before.serverDate);
  const record = { recordId, lockId, epoch, seq, type, success, credential, username, lockDate, serverDate };
  const whole = startsWith(cursor, before.checksum) ? record : { ...record, ...optionalMembers(cursor) };
  return endsHere(cursor) && isOne(record) ? whole : undefined;
}

type OptionalMembers = Pick<LockRecord, 'reportedDate' | 'undated' | 'reason' | 'command' | 'entryId'>;

function optionalMembers(cursor: Cursor): OptionalMembers {
  const found: { -readonly [Member in keyof OptionalMembers]: OptionalMembers[Member] } = {};
  if (startsWith(cursor, before.reportedDate)) found.reportedDate = numberAfter(cursor, before.reportedDate);
  if (startsWith(cursor, before.undated)) {
    pass(cursor, before.undated);
    found.undated = true;
  }
  if (startsWith(cursor, before.reason)) {
    found.reason = textAfter(cursor, before.reason);
    pass(cursor, endOfText);
  }
  if (startsWith(cursor, before.command)) found.command = numberAfter(cursor, before.command);
  if (startsWith(cursor, before.entryId)) found.entryId = numberAfter(cursor, before.entryId);
  return found;
}

/** Ids and sequence numbers begin with 1. */
function isOne({ recordId, lockId, seq }: Pick<LockRecord, 'recordId' | 'lockId' | 'seq'>): boolean {
  return recordId > 0 && lockId > 0 && seq > 0;
}

function startsWith({ line, at }: Cursor, word: Uint8Array): boolean {
  for (let n = 0; n < word.length; n++) if (line[at + n] !== word[n]) return false;
  return true;
}

function pass(cursor: Cursor, word: Uint8Array): void {
  cursor.at = startsWith(cursor, word) ? cursor.at + word.length : nowhere;
}

function endsHere(cursor: Cursor): boolean {
  pass(cursor, before.checksum);
  return cursor.at !== nowhere && cursor.at + checksumBytes === cursor.line.length;
}

function numberAfter(cursor: Cursor, word: Uint8Array): number {
  pass(cursor, word);
  const { line } = cursor;
  const isNegative = line[cursor.at] === minus;
  const first = isNegative ? cursor.at + 1 : cursor.at;
  let at = first;
  let value = 0;
  for (let digit = digitAt(line, at); digit >= 0 && digit <= 9; digit = digitAt(line, at)) {
    value = value * 10 + digit;
    at += 1;
  }
  const digits = at - first;
  const hasSparePart = line[first] === zero && (digits > 1 || isNegative);
  cursor.at = digits === 0 || digits > mostDigits || hasSparePart ? nowhere : at;
  return isNegative ? -value : value;
}

function digitAt(line: Buffer, at: number): number {
  return (line[at] ?? 0) - zero;
}

function flagAfter(cursor: Cursor, word: Uint8Array): boolean {
  pass(cursor, word);
  const isTrue = startsWith(cursor, yes);
  pass(cursor, isTrue ? yes : no);
  return isTrue;
}

function textAfter(cursor: Cursor, word: Uint8Array): string {
  pass(cursor, word);
  const { line, at: start } = cursor;
  let at = start;
  for (
    let byte = line[at] ?? quote;
    byte >= firstPlain && byte <= lastPlain && byte !== quote && byte !== backslash;
    byte = line[at] ?? quote
  ) {
    at += 1;
  }
  cursor.at = at;
  return at === start ? '' : line.toString('latin1', start, at);
}
