// A record as a line of a day's file: flat JSON with a checksum.
import { z } from 'zod';
import type { LockId } from '../domain/lock.ts';
import type { LockRecord } from '../domain/record.ts';
import { checkedLine, isIntact } from './checked-line.ts';

const id = z.int().min(1);
const text = z.string();
const millis = z.int();

const recordLine = z.object({
  recordId: id,
  lockId: id.transform((number) => number as LockId),
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

/** The line, with its newline; members in the order in which people look for them. */
export function encodeRecord(record: LockRecord): string {
  const { recordId, lockId, epoch, seq, type, success, credential, username, lockDate, serverDate, reportedDate } = record;
  // JSON leaves out what is undefined.
  return checkedLine({ recordId, lockId, epoch, seq, type, success, credential, username, lockDate, serverDate, reportedDate });
}

/** The record of an intact line; undefined when it holds something else. */
export function decodeRecord(line: Buffer): LockRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  return recordLine.safeParse(value).data;
}

/** The record of a line as it was found on the disk; undefined when it is not exactly what was written. */
export function readRecord(line: Buffer): LockRecord | undefined {
  return isIntact(line) ? decodeRecord(line) : undefined;
}
