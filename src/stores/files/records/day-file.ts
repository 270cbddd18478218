// What the record log needs from a day file, open or sealed; and how day files are named (Store 4.1).
import type { LockId } from '../../../domain/locks/lock.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import type { NewestFirst } from '../../../domain/records/record-ports.ts';
import type { Steps } from './newest-first.ts';
import type { RecordsWanted } from './records-after.ts';

export interface DayQuery {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included. */
  readonly from: number;
  readonly to: number;
}

export interface Matching {
  /** The exact number of matches. */
  readonly total: number;
  readonly records: readonly LockRecord[];
}

/** A source of record pages. */
export interface RecordPages {
  /**
   * The matching records, newest first, without the first `skip`, at most `take`; damaged lines are left out. The call fixes the result:
   * records appended later do not appear.
   */
  newest(query: DayQuery, skip: number, take: number): Matching | Promise<Matching>;
}

export interface DayFile {
  readonly name: DayName;
  count(): number;
  /** The wanted records in the order of their ids, some at a time, or none. Damaged lines are left out. */
  above(wanted: RecordsWanted): AsyncGenerator<LockRecord[]>;
  /** See RecordStore.newestFirst. Damaged lines are left out. */
  newestFirst(query: NewestFirst): Steps;
  /** Flushed bytes of the file. */
  bytes(): number;
  /** See OpenFile.read. */
  readAt(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

/** `2026-11-21-8123001`: the UTC day on which the file was begun, and its first recordId. */
export interface DayName {
  readonly day: string;
  readonly firstRecordId: number;
}

const firstDay = Date.UTC(1970, 0, 1);
const lastDay = Date.UTC(9999, 11, 31);

/** Days since 1970 (UTC): equal for two instants exactly when their `utcDay` is equal. */
export function dayNumber(at: number): number {
  return Math.floor(Math.min(Math.max(at, firstDay), lastDay) / 86_400_000);
}

/** The UTC day of an instant: `2026-11-21`. A date beyond the years of four digits gets the nearest such day. */
export function utcDay(at: number): string {
  return new Date(Math.min(Math.max(at, firstDay), lastDay)).toISOString().slice(0, 10);
}

export function dayFileName({ day, firstRecordId }: DayName): string {
  return `${day}-${firstRecordId}.jsonl`;
}

export function indexFileName({ day, firstRecordId }: DayName): string {
  return `${day}-${firstRecordId}.index`;
}

export function orderFileName({ day, firstRecordId }: DayName): string {
  return `${day}-${firstRecordId}.order`;
}

/** Undefined when the name is not that of a day file. */
export function parseDayFileName(file: string): DayName | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})-(\d{1,16})\.jsonl$/.exec(file);
  return match ? { day: match[1] as string, firstRecordId: Number(match[2]) } : undefined;
}
