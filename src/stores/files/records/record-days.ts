// The days of the record log: the file of today, sealing, and deletion.
import type { Clock } from '../../../domain/clock.ts';
import type { DomainError } from '../../../domain/errors.ts';
import type { Log } from '../../../domain/part.ts';
import type { EventProgress } from '../../../domain/records/event-deduplication.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import { removeIfThere } from '../documents/durable-file.ts';
import type { FileLayer } from '../files.ts';
import { createBufferPool } from './buffer-pool.ts';
import { dayFileName, dayNumber, indexFileName, orderFileName, utcDay } from './day-file.ts';
import { beginDay, type OpenDay } from './open-day.ts';
import { isOpen, newestOf, type OpenedFolder, openFolder, type RecordDay, reopen } from './record-folder.ts';
import { filesToPurge } from './retention.ts';
import type { SealedDay } from './sealed-day.ts';
import { isSealed } from './sealed-day.ts';
import { sealDay } from './sealing.ts';
import { createSegmentSnapshots, type SegmentSnapshots } from './segment-snapshots.ts';
import { isUnreadable, type UnreadableDay } from './unreadable-day.ts';

/** Reading from a failing disk takes long, and its errors seldom disappear. */
const betweenTriesMs = 10_000;

export interface RecordDays {
  open(progress: EventProgress): Promise<OpenedFolder>;
  /** In the order of their recordIds. */
  all(): readonly RecordDay[];
  /** The file of today, if one exists and may be appended to. */
  today(): OpenDay | undefined;
  /** Begins the file of today. Calls `firstRecordId` when it names the file. */
  begin(firstRecordId: () => number): Promise<void>;
  /** The days as they are now; they stay open until `release` is called. */
  hold: SegmentSnapshots['hold'];
  /** The problem with the first unreadable day; undefined: there is none. */
  unreadable(): DomainError | undefined;
  /** The same for an unreadable day that no later index covers: until it is read, latchd does not know which events are stored. */
  unknown(): DomainError | undefined;
  /**
   * Starts to read such days again, at most once in a while, and returns at once. Calls `onFound` with the highest recordId of each day
   * that it could read.
   */
  tryAgain(progress: EventProgress, onFound: (recordId: number) => void): void;
  /** Seals every day but today; logs a failure and tries again at the next call. Never rejects. */
  seal(progress: EventProgress): Promise<void>;
  /** Deletes the files that are too old, but not the newest sealed one; resolves with their names. */
  purge(now: number, recordDays: number): Promise<string[]>;
  close(): Promise<void>;
  flushes(): number;
}

export function createRecordDays(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}): RecordDays {
  const { files, folder, clock, log } = options;
  const held = createSegmentSnapshots({ log, room: createBufferPool() });
  /** The days that are not sealed, oldest first. */
  let open: readonly OpenDay[] = [];
  /** The days that cannot be read. */
  let unread: readonly UnreadableDay[] = [];
  /** The days that are never appended to again. */
  const finished = new WeakSet<RecordDay>();
  let beginning: Promise<void> | undefined;
  let sealing: Promise<void> | undefined;
  let trying: Promise<void> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let isClosing = false;
  let flushesBefore = 0;

  function today(): OpenDay | undefined {
    const newest = open.at(-1);
    if (!newest || newest !== held.now().days.at(-1) || finished.has(newest)) return undefined;
    return newest.dayNumber === dayNumber(clock.now()) ? newest : undefined;
  }
  function daysWith(by: RecordDay | undefined, inPlaceOf: RecordDay): RecordDay[] {
    return held.now().days.flatMap((one) => (one === inPlaceOf ? (by ?? []) : one));
  }
  /** Replaces a day by its sealed form (or by nothing), and closes it when no query reads it any more. */
  async function replace(day: OpenDay, by: SealedDay | undefined): Promise<void> {
    open = open.filter((one) => one !== day);
    flushesBefore += day.flushes();
    await held.replace(daysWith(by, day), day);
  }
  async function remove(day: RecordDay): Promise<void> {
    // The index first: if only the records are left, they are sealed again and deleted the next time; if only the index were left, it would
    // mean that somebody else deleted the records.
    await removeIfThere(files, `${folder}/${orderFileName(day.name)}`);
    await removeIfThere(files, `${folder}/${indexFileName(day.name)}`);
    await removeIfThere(files, `${folder}/${dayFileName(day.name)}`);
  }
  async function sealOne(day: OpenDay, progress: EventProgress): Promise<void> {
    finished.add(day);
    await day.idle();
    if (day.count() === 0) {
      await remove(day);
      return replace(day, undefined);
    }
    const goOn = (): boolean => !isClosing;
    const sealed = await sealDay({ files, folder, log, remembered: progress.remembered, goOn }, day);
    if (!sealed) return;
    await replace(day, sealed);
    log.info({ file: dayFileName(day.name), records: sealed.count() }, 'a day of records was sealed');
  }
  function unknown(): DomainError | undefined {
    return unread.find(({ isCovered }) => !isCovered)?.problem;
  }
  async function tryAll(onRecord: (record: LockRecord) => void, onFound: (recordId: number) => void): Promise<void> {
    for (const day of unread) {
      if (isClosing) return;
      const file = dayFileName(day.name);
      try {
        const found = await reopen({ files, folder, log }, day, onRecord);
        const days = daysWith(found, day);
        open = days.filter(isOpen);
        unread = days.filter(isUnreadable);
        if (found) onFound(newestOf(found)?.recordId ?? 0);
        await held.replace(days);
        if (found) log.info({ code: 'records-readable', file, records: found.count() }, 'a file of records can be read again');
        else log.warn({ code: 'records-gone', file }, 'a file of records that could not be read is gone, and its records with it');
      } catch (error) {
        log.debug({ file, err: error }, 'a file of records still cannot be read');
      }
    }
  }
  async function sealAll(progress: EventProgress): Promise<void> {
    for (const day of open) {
      // An index claims to cover all days before it.
      if (isClosing || unknown() || day.name.day === utcDay(clock.now())) continue;
      try {
        await sealOne(day, progress);
      } catch (error) {
        log.warn(
          { code: 'seal-failed', file: dayFileName(day.name), err: error },
          'a day of records could not be sealed; it is tried again',
        );
      }
    }
  }

  function seal(progress: EventProgress): Promise<void> {
    sealing ??= sealAll(progress).finally(() => {
      sealing = undefined;
    });
    return sealing;
  }

  return {
    async open(progress) {
      const found = await openFolder({ files, folder, log }, progress.load, progress.restore);
      open = found.open;
      unread = found.days.filter(isUnreadable);
      await held.replace(found.days);
      return found;
    },
    all: () => held.now().days,
    today,
    begin(firstRecordId) {
      beginning ??= (async () => {
        // Records are flushed in the order of their recordIds, across files: a record of a new day appears only after all records of the
        // day before.
        const before = open.at(-1);
        if (before) finished.add(before);
        await before?.idle();
        const name = { day: utcDay(clock.now()), firstRecordId: firstRecordId() };
        const day = await beginDay({ files, folder, name, log });
        open = [...open, day];
        await held.replace([...held.now().days, day]);
      })().finally(() => {
        beginning = undefined;
      });
      return beginning;
    },
    hold: held.hold,
    unreadable: () => unread[0]?.problem,
    unknown,
    tryAgain(progress, onFound) {
      if (trying || isClosing || unread.length === 0 || clock.monotonic() - triedAt < betweenTriesMs) return;
      triedAt = clock.monotonic();
      trying = tryAll(progress.restore, onFound).then(() => {
        trying = undefined;
        void seal(progress);
      });
    },
    seal,
    async purge(now, recordDays) {
      const { days } = held.now();
      // The index of the newest sealed day remembers which earlier events were stored.
      const newest = days.findLast(isSealed);
      const old = filesToPurge(days, now, recordDays).filter((day) => day !== today() && day !== newest && !open.includes(day as OpenDay));
      for (const day of old) {
        await remove(day);
        unread = unread.filter((one) => one !== day);
        await held.replace(daysWith(undefined, day), day);
      }
      if (old.length > 0) await files.syncFolder(folder);
      return old.map(({ name }) => dayFileName(name));
    },
    async close() {
      isClosing = true;
      await trying;
      await Promise.all([beginning?.catch(() => undefined), sealing]);
      await held.close();
    },
    flushes: () => open.reduce((sum, day) => sum + day.flushes(), flushesBefore),
  };
}
