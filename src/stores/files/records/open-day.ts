// The day that is being written: an append-only journal, and the positions of all flushed records in memory.

import { createBoundedCache } from '../../../domain/bounded-cache.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { LockRecord, RecordDraft } from '../../../domain/records/record.ts';
import type { NewestFirst } from '../../../domain/records/record-ports.ts';
import type { FileLayer } from '../files.ts';
import { type DayFile, type DayName, dayFileName, type Matching, type RecordPages } from './day-file.ts';
import { type Appending, createJournal, type Journal } from './journal.ts';
import { createJournalFile, recoverJournal } from './journal-recovery.ts';
import { createJournalTail } from './journal-tail.ts';
import type { LineBuffer } from './line-buffer.ts';
import { scanLines } from './line-scan.ts';
import { fewLines, fromLines, fromOrder, fromTheEnd, linesAtPlaces, type Steps } from './newest-first.ts';
import { createOpenIndex, type OpenIndex } from './open-index.ts';
import { orderInMemory } from './order-file.ts';
import { type LinePlace, linesInMemory, readLines } from './read-lines.ts';
import { decodeRecord, intactRecord, putRecord } from './record-line.ts';
import { recordsInOrder, recordsToSort } from './records-after.ts';

export interface OpenDay extends DayFile, RecordPages {
  /**
   * Calls back with the recordId of the last record once all of them are flushed, which is when readers begin to see them; with
   * `storage-unavailable` when none is stored.
   */
  append(lockId: LockId, epoch: string, drafts: readonly RecordDraft[], takeRecordId: () => number, done: Appended): void;
  flushes(): number;
  /** The `dayNumber` of this day. */
  readonly dayNumber: number;
  /** The newest flushed record; undefined in an empty file. */
  newestRecord(): NewestRecord | undefined;
  /** Resolves when every append that was begun has ended. */
  idle(): Promise<void>;
  /** The positions of the lines, for sealing. */
  readonly runs: OpenIndex;
}

type Appended = (error: Error | undefined, lastRecordId: number) => void;

interface NewestRecord {
  readonly recordId: number;
  readonly serverDate: number;
}

interface DayOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly name: DayName;
  readonly log: Log;
}

/** The newest 8 MiB of an open day are in memory. */
const tailPieces = 32;
const tailPieceBytes = 256 << 10;

/** How many decoded records are cached: enough for the newest page of 1,000 locks. */
const recordsCached = 25_000;

/** Begins the file of a day. */
export async function beginDay(options: DayOptions): Promise<OpenDay> {
  const file = await createJournalFile(options.files, `${options.folder}/${dayFileName(options.name)}`);
  return openDay(options, createJournal(file, 0, createJournalTail(tailPieces, tailPieceBytes)), {
    runs: createOpenIndex(),
    newest: undefined,
    isInOrder: true,
  });
}

/** Opens an existing file of an open day, repairs it, and calls `onRecord` for each record in it. */
export async function reopenDay(options: DayOptions, onRecord: (record: LockRecord) => void): Promise<OpenDay> {
  let runs = createOpenIndex();
  let newest: NewestRecord | undefined;
  // False after a power cut between sorting the lines and writing their index: then they are in another order.
  let isInOrder = true;
  let before = 0;
  function take(line: Buffer, position: number): LockRecord | undefined {
    const record = decodeRecord(line);
    if (!record) return undefined;
    runs.add(record.lockId, position, line.length + 1, record.lockDate);
    if (!newest || record.recordId > newest.recordId) newest = record;
    if (record.recordId < before) isInOrder = false;
    before = record.recordId;
    return record;
  }
  const path = `${options.folder}/${dayFileName(options.name)}`;
  const { file, length, rewritten } = await recoverJournal(options.files, path, options.log, (line, position) => {
    const record = take(line, position);
    if (record) onRecord(record);
    return record !== undefined;
  });
  if (rewritten) {
    runs = createOpenIndex();
    before = 0;
    await scanLines(file, take);
  }
  const tail = createJournalTail(tailPieces, tailPieceBytes);
  const piece = Buffer.allocUnsafe(tailPieceBytes);
  for (let position = Math.max(0, length - tail.capacity); position < length; position += piece.length) {
    const bytes = piece.subarray(0, length - position);
    await file.read(bytes, position);
    tail.add(bytes, position);
  }
  return openDay(options, createJournal(file, length, tail), { runs, newest, isInOrder });
}

/** The content of the file. */
interface Written {
  readonly runs: OpenIndex;
  newest: NewestRecord | undefined;
  /** The lines are in the order of their recordIds. */
  readonly isInOrder: boolean;
}

function openDay({ name, log }: DayOptions, journal: Journal, written: Written): OpenDay {
  const { runs } = written;
  const number = Date.parse(name.day) / 86_400_000;
  // A flushed line never changes, so its record is always the same object: the checksum and the decoding are done once.
  const recent = createBoundedCache<number, LockRecord>(recordsCached);

  function decoded({ position }: LinePlace, line: Buffer): LockRecord | undefined {
    const record = intactRecord(line, log, dayFileName(name));
    if (record) recent.add(position, record);
    return record;
  }

  /** The places of the lines that match; undefined: there are more than few. */
  function fewPlaces({ locks, from, to }: NewestFirst): LinePlace[] | undefined {
    const matching = Array.from(locks, (lockId) => ({ lockId, count: runs.matching(lockId, from, to) })).filter(({ count }) => count > 0);
    if (matching.reduce((sum, { count }) => sum + count, 0) > fewLines) return undefined;
    return matching.flatMap(({ lockId, count }) => runs.places(lockId, from, to, 0, count));
  }
  async function* newestFirst(query: NewestFirst): Steps {
    const bytes = journal.length();
    const lastRecordId = written.newest?.recordId;
    if (lastRecordId === undefined) return;
    const places = fewPlaces(query);
    if (places) return yield* fromLines(linesAtPlaces(journal.read, places), query);
    if (written.isInOrder) return yield* fromTheEnd(journal.read, bytes, query);
    const { firstRecordId } = name;
    const order = await orderInMemory({ firstRecordId, lastRecordId, bytes, readAt: journal.read });
    yield* fromOrder(journal.read, order, firstRecordId, query);
  }

  return {
    name,
    newestFirst,
    dayNumber: number,
    runs,
    readAt: journal.read,
    bytes: journal.length,
    count: runs.count,
    flushes: journal.flushes,
    newestRecord: () => written.newest,
    idle: journal.idle,
    newest({ lockId, from, to }, skip, take) {
      const total = runs.matching(lockId, from, to);
      if (take === 0 || skip >= total) return { total, records: [] };
      const places = runs.places(lockId, from, to, skip, take);
      const found = places.map(({ position }) => recent.get(position));
      if (!found.includes(undefined)) return { total, records: found as LockRecord[] };
      const missing = places.filter((_, n) => found[n] === undefined);
      const matching = (lines: readonly Buffer[]): Matching => {
        const read = lines.map((line, n) => decoded(missing[n] as LinePlace, line)).values();
        return { total, records: found.flatMap((record) => record ?? read.next().value ?? []) };
      };
      const lines = linesInMemory(journal.readNow, missing);
      return lines ? matching(lines) : readLines(journal.read, missing).then(matching);
    },
    above(wanted) {
      const to = journal.length();
      return written.isInOrder ? recordsInOrder(journal.read, to, wanted) : recordsToSort(journal.read, [{ from: 0, to }], wanted);
    },
    append(lockId, epoch, drafts, takeRecordId, done) {
      journal.enqueue(new RecordsAppending(written, lockId, epoch, drafts, takeRecordId, done));
    },
    close: journal.close,
  };
}

/** The records of one call while they are being written. */
class RecordsAppending implements Appending {
  #recordId = 0;
  readonly #written: Written;
  readonly #lockId: LockId;
  readonly #epoch: string;
  readonly #drafts: readonly RecordDraft[];
  readonly #takeRecordId: () => number;
  readonly #done: Appended;

  constructor(written: Written, lockId: LockId, epoch: string, drafts: readonly RecordDraft[], takeRecordId: () => number, done: Appended) {
    this.#written = written;
    this.#lockId = lockId;
    this.#epoch = epoch;
    this.#drafts = drafts;
    this.#takeRecordId = takeRecordId;
    this.#done = done;
  }
  put(lines: LineBuffer): void {
    for (const draft of this.#drafts) {
      this.#recordId = this.#takeRecordId();
      putRecord(lines, this.#recordId, this.#lockId, this.#epoch, draft);
    }
  }
  flushed(start: number, lengths: readonly number[], first: number): void {
    let position = start;
    let line = first;
    for (const { lockDate } of this.#drafts) {
      const length = lengths[line++] as number;
      this.#written.runs.add(this.#lockId, position, length, lockDate);
      position += length;
    }
    this.#written.newest = { recordId: this.#recordId, serverDate: (this.#drafts.at(-1) as RecordDraft).serverDate };
    this.#done(undefined, this.#recordId);
  }
  failed(error: Error): void {
    this.#done(error, 0);
  }
}
