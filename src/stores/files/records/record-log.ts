// The record log: one file per UTC day, appended to, and queried by lock and time (RecordStore).

import type { Clock } from '../../../domain/clock.ts';
import type { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import { createEventProgress, type Reservation } from '../../../domain/records/event-deduplication.ts';
import { oldestStored, type RecordDraft, recordDaysAtMost } from '../../../domain/records/record.ts';
import type { AppendOutcome, RecordStore } from '../../../domain/records/record-ports.ts';
import type { ClockTrust } from '../clock-trust.ts';
import type { CounterFile } from '../documents/counter-file.ts';
import type { FileLayer } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { createReservedIds, type ReservedIds } from '../reserved-ids.ts';
import type { DayFile, RecordPages } from './day-file.ts';
import type { OpenDay } from './open-day.ts';
import { createRecordDays } from './record-days.ts';
import { newestOfEach, pageOver, recordsNewestFirst, recordsSince } from './record-queries.ts';

export interface PurgeOutcome {
  /** Names of the files that were deleted. */
  readonly deleted: readonly string[];
  /** True: nothing was deleted, because the clock may be wrong. */
  readonly clockIsSuspect: boolean;
}

export interface RecordLog extends RecordStore {
  /** Reads and repairs the existing files. Must have resolved before any other call. */
  open(): Promise<void>;
  /** What is wrong with an unreadable file of records; undefined: nothing. Until the file is read, pages that need it are refused. */
  unreadable(): DomainError | undefined;
  /**
   * Tries unreadable files again in the background. Throws `storage-unavailable` while it is unknown which events are stored: no event is
   * accepted meanwhile, because it might be stored already.
   */
  tryUnreadable(): void;
  /** Seals every finished day. Never rejects: it logs a failure, and the next call tries again. */
  seal(): Promise<void>;
  /** Deletes day files that are older than `recordDays` days or six calendar months, those of at most seven days. `storage-unavailable`. */
  purge(now: number, recordDays: number): Promise<PurgeOutcome>;
  /** Runs `use` on the present day files; they stay readable until it ends, even if they are sealed or deleted meanwhile. */
  holding<T>(use: (days: readonly DayFile[]) => Promise<T>): Promise<T>;
  /** Waits for running appends. */
  close(): Promise<void>;
  /** `stored` and `duplicates` count events since the start. */
  stats(): {
    readonly records: number;
    readonly days: number;
    readonly flushes: number;
    readonly stored: number;
    readonly duplicates: number;
  };
}

/** Records that can be stored per write of counters.json. */
const idBlock = 100_000;

export function createRecordLog(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: CounterFile;
  readonly clockTrust: ClockTrust;
  readonly emit: Emit;
  /** The earlier lockIds of the lock's device. */
  readonly earlierIds?: (lockId: LockId) => readonly LockId[];
}): RecordLog {
  const { files, folder, clock, log, counters, clockTrust, emit, earlierIds = () => [] } = options;
  const progress = createEventProgress(earlierIds);
  const days = createRecordDays({ files, folder, clock, log });
  /** For each lock, the last message that is not in the journal's queue yet. */
  const waiting = new Map<LockId, Promise<void>>();
  let ids: ReservedIds | undefined;
  let newest = 0;
  let stored = 0;
  let duplicates = 0;

  /** While the clock is suspect, nothing is forgotten because of its age. */
  const forgetBefore = (): number => oldestStored(clock.now(), clockTrust.isSuspect(), recordDaysAtMost);

  /** Today's file, if it exists and `count` recordIds are reserved. */
  function readyDay(recordIds: ReservedIds, count: number): OpenDay | undefined {
    return recordIds.has(count) ? days.today() : undefined;
  }
  function makeReady(recordIds: ReservedIds, count: number): Promise<void> {
    return recordIds.has(count) ? days.begin(recordIds.peek) : recordIds.reserve(count);
  }
  /** Every event of every lock passes here: one promise per call, unless it has to wait for something first. */
  function append(recordIds: ReservedIds, lockId: LockId, epoch: string, events: readonly RecordDraft[]): Promise<AppendOutcome> {
    const reservation = waiting.get(lockId) ?? progress.reservation(lockId, epoch, events, forgetBefore);
    if (reservation instanceof Promise) return appendInTurn(recordIds, lockId, epoch, events, reservation);
    const day = readyDay(recordIds, reservation.fresh.length);
    return day ? store(recordIds, lockId, epoch, reservation, day) : appendInTurn(recordIds, lockId, epoch, events, reservation);
  }
  /**
   * Until this message is in the journal's queue, later messages of its lock wait behind it: the recordIds of a lock rise in the order of
   * its messages.
   */
  async function appendInTurn(
    recordIds: ReservedIds,
    lockId: LockId,
    epoch: string,
    events: readonly RecordDraft[],
    before: Reservation | Promise<void>,
  ): Promise<AppendOutcome> {
    let queued = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      queued = resolve;
    });
    waiting.set(lockId, turn);
    try {
      let reservation = before;
      while (reservation instanceof Promise) {
        await reservation;
        reservation = progress.reservation(lockId, epoch, events, forgetBefore);
      }
      const day = await dayFor(recordIds, reservation);
      return store(recordIds, lockId, epoch, reservation, day);
    } finally {
      if (waiting.get(lockId) === turn) waiting.delete(lockId);
      queued();
    }
  }
  /** The day for a reservation; if there is none, the reservation is undone. Undefined: nothing to store. */
  async function dayFor(recordIds: ReservedIds, reservation: Reservation): Promise<OpenDay | undefined> {
    const { length } = reservation.fresh;
    if (length === 0) return undefined;
    try {
      for (let day = readyDay(recordIds, length); ; day = readyDay(recordIds, length)) {
        if (day) return day;
        await makeReady(recordIds, length);
      }
    } catch (error) {
      progress.rollback(reservation);
      throw storageUnavailable(error);
    }
  }
  /** No await between here and the journal's queue: the recordIds are in the order of the file. */
  function store(
    recordIds: ReservedIds,
    lockId: LockId,
    epoch: string,
    reservation: Reservation,
    day: OpenDay | undefined,
  ): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      function done(error: unknown, lastRecordId: number): void {
        if (error !== undefined) {
          progress.rollback(reservation);
          reject(storageUnavailable(error));
          return;
        }
        progress.commit(reservation);
        stored += reservation.fresh.length;
        duplicates += reservation.duplicates;
        if (reservation.fresh.length > 0) {
          newest = lastRecordId;
          emit('records-stored', { lockId, epoch, drafts: reservation.fresh, firstRecordId: lastRecordId - reservation.fresh.length + 1 });
        }
        resolve({ stored: reservation.fresh.length, duplicates: reservation.duplicates, refused: reservation.refused });
      }
      if (day && reservation.fresh.length > 0) day.append(lockId, epoch, reservation.fresh, recordIds.take, done);
      else done(undefined, 0);
    });
  }
  const count = (): number => days.all().reduce((sum, day) => sum + day.count(), 0);

  async function overPages<T>(look: (newestFirst: readonly RecordPages[]) => Promise<T>): Promise<T> {
    const { view, release } = days.hold();
    try {
      return await look(view.pages);
    } catch (error) {
      throw storageUnavailable(error);
    } finally {
      await release();
    }
  }

  return {
    async open() {
      const found = await days.open(progress);
      ids = createReservedIds(counters.floor('recordId'), idBlock, found.highestRecordId);
      newest = found.highestRecordId;
      await clockTrust.open(found.newestAt);
    },
    append(lockId, epoch, events) {
      if (!ids) throw new Error('the record log is not open');
      const unknown = days.unknown();
      if (unknown) return Promise.reject(unknown);
      return append(ids, lockId, epoch, events);
    },
    page: (query) => overPages((pages) => pageOver(pages, query)),
    newestOf: (lockIds) => overPages((pages) => newestOfEach(pages, lockIds)),
    newest: () => newest,
    newestFirst: (query) => recordsNewestFirst(days, query),
    since: (recordId, wants) => recordsSince(days, recordId, wants),
    // While it is unknown which events are stored, none counts as missing: no lock is asked for events that it has already sent.
    epochs: progress.epochs,
    progress: (lockId, epoch) =>
      days.unknown() ? { highest: Number.MAX_SAFE_INTEGER, gaps: [], isBeginning: false } : progress.of(lockId, epoch),
    count,
    unreadable: days.unreadable,
    tryUnreadable() {
      days.tryAgain(progress, (recordId) => {
        newest = Math.max(newest, recordId);
      });
      const unknown = days.unknown();
      if (unknown) throw unknown;
    },
    seal: () => days.seal(progress),
    async purge(now, recordDays) {
      if (!(await clockTrust.isTrusted())) return { deleted: [], clockIsSuspect: true };
      await days.seal(progress);
      try {
        return { deleted: await days.purge(now, recordDays), clockIsSuspect: false };
      } catch (error) {
        throw storageUnavailable(error);
      }
    },
    async holding(use) {
      const { view, release } = days.hold();
      try {
        return await use(view.days);
      } finally {
        await release();
      }
    },
    async close() {
      await days.close();
      await ids?.giveBack();
    },
    stats: () => ({ records: count(), days: days.all().length, flushes: days.flushes(), stored, duplicates }),
  };
}
