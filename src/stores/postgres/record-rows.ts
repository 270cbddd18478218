// A record as a row. What its columns may hold, the server has checked.
import type { LockId } from '../../domain/locks/lock.ts';
import type { DraftToFill, LockRecord } from '../../domain/records/record.ts';
import type { StoredEvents } from '../../domain/records/record-ports.ts';
import { originalText } from './text-column.ts';

export const recordColumns = `record_id AS "recordId", lock_id AS "lockId", epoch, seq, type, success, credential, username,
  lock_date AS "lockDate", server_date AS "serverDate", reported_date AS "reportedDate", undated, reason, command, entry_id AS "entryId"`;

export interface RecordRow {
  readonly recordId: number;
  readonly lockId: number;
  readonly epoch: string;
  readonly seq: number;
  readonly type: string;
  readonly success: boolean;
  readonly credential: string;
  readonly username: string;
  readonly lockDate: number;
  readonly serverDate: number;
  readonly reportedDate: number | null;
  readonly undated: boolean | null;
  readonly reason: string | null;
  readonly command: number | null;
  readonly entryId: number | null;
}

export function recordOf(row: RecordRow): LockRecord {
  const { recordId, seq, success, lockDate, serverDate, reportedDate, reason, command, entryId } = row;
  const [type, credential, username] = [originalText(row.type), originalText(row.credential), originalText(row.username)];
  const draft: DraftToFill = { seq, type, success, credential, username, lockDate, serverDate };
  if (reportedDate !== null) draft.reportedDate = reportedDate;
  if (row.undated === true) draft.undated = true;
  if (reason !== null) draft.reason = originalText(reason);
  if (command !== null) draft.command = command;
  if (entryId !== null) draft.entryId = entryId;
  return { recordId, lockId: row.lockId as LockId, epoch: originalText(row.epoch), ...draft };
}

/** The same records as what was stored together: of one epoch, with consecutive ids. */
export function storedEventsOf(records: readonly LockRecord[]): StoredEvents[] {
  const all: (StoredEvents & { readonly drafts: LockRecord[] })[] = [];
  for (const record of records) {
    const last = all.at(-1);
    const isNext =
      last?.lockId === record.lockId && last.epoch === record.epoch && last.firstRecordId + last.drafts.length === record.recordId;
    if (isNext) last.drafts.push(record);
    else all.push({ lockId: record.lockId, epoch: record.epoch, drafts: [record], firstRecordId: record.recordId });
  }
  return all;
}
