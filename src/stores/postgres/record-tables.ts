// The records in PostgreSQL (RecordStore). What is stored of each lock is in memory and in its `stream` rows; whoever finds that somebody else has
// changed a row reads it again. Readers see records up to `newest` alone, so a page and its total are of one moment.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import { createEventProgress, type Remembered, type Reservation } from '../../domain/records/event-deduplication.ts';
import { oldestStored, type RecordDraft, recordDaysAtMost } from '../../domain/records/record.ts';
import type { AppendOutcome, EpochProgress, RecordStore, StoredEvents } from '../../domain/records/record-ports.ts';
import type { ClockTrust } from '../files/clock-trust.ts';
import type { Database, Writer } from './database.ts';
import { createIngest } from './ingest.ts';
import type { StorableEvents } from './ingest-statement.ts';
import { createPartitions } from './partitions.ts';
import { createRecentRecords } from './recent-records.ts';
import { createPageQueries } from './record-pages.ts';
import { type RecordRow, recordColumns, recordOf, storedEventsOf } from './record-rows.ts';
import { newestRecordOfEach, walkNewestFirst } from './records-newest-first.ts';
import { walkSince } from './records-since.ts';
import { storageFailure } from './storage-failure.ts';
import { rememberedOf } from './stored-streams.ts';

export interface RecordTablesOptions {
  readonly database: Database;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: Emit;
  /** The earlier lockIds of the lock's device. */
  readonly earlierIds: (lockId: LockId) => readonly LockId[];
  readonly clockTrust: Pick<ClockTrust, 'open' | 'isSuspect' | 'isTrusted'>;
}

export interface RecordTables extends RecordStore {
  /** Reads what is stored of every lock. Must have resolved before any other call but the counts. */
  open(): Promise<void>;
  /** Makes the partitions of the weeks to come. Never rejects. */
  seal(): Promise<void>;
  /** Drops at most one partition that is older than `recordDays` days or six calendar months. `storage-unavailable`. */
  purge(now: number, recordDays: number): Promise<{ readonly deleted: readonly string[]; readonly clockIsSuspect: boolean }>;
  /** Forgets which events were stored of locks that nobody knows and that have no records. Resolves with how many. `storage-unavailable`. */
  forgetLocks(isKnown: (lockId: LockId) => boolean): Promise<number>;
  /** Throws `storage-unavailable` while nobody knows what of the last events is stored. */
  requireKnown(): void;
  close(): Promise<void>;
  /** How often somebody else had changed what is stored of an epoch of a lock. */
  streamConflicts(): number;
  stats(): {
    readonly records: number;
    readonly days: number;
    readonly recordFlushes: number;
    readonly stored: number;
    readonly duplicates: number;
  };
}

interface Head {
  readonly last: number;
  readonly gone: number;
  readonly floor: number;
}

/** Nothing is asked of a lock again before somebody knows what is stored. */
const notKnownYet: EpochProgress = { highest: Number.MAX_SAFE_INTEGER, gaps: [], isBeginning: false };

const headOfRecords = "SELECT last, gone, floor FROM head WHERE feed = 'record'";
const withoutRecords = `SELECT wanted AS "lockId" FROM unnest($1::bigint[]) AS wanted
  WHERE NOT EXISTS (SELECT FROM record WHERE lock_id = wanted)`;
const dropStreams = `WITH streams AS (DELETE FROM stream WHERE lock_id = ANY ($1)), commands AS (DELETE FROM used_command WHERE lock_id = ANY ($1))
  SELECT advance('record', 0)`;
const rowsBetween = `SELECT ${recordColumns} FROM record WHERE record_id > $1 AND record_id <= $2 ORDER BY record_id`;
const [rowsAtOnce, locksAtOnce] = [1_000, 1_000];

export function createRecordTables(options: RecordTablesOptions): RecordTables {
  const { database, writer, clock, log, emit, earlierIds, clockTrust } = options;
  const progress = createEventProgress(earlierIds);
  const recent = createRecentRecords();
  const partitions = createPartitions({ database, clock, log });
  let isOpen = false;
  let newest = 0;
  let gone = 0;
  let floor = 0;
  let stored = 0;
  let duplicates = 0;
  const pages = createPageQueries(database, () => newest);
  const since = { database, recent, newest: () => newest, lockIds: progress.lockIds };
  const onStatement = (done: { readonly events: number; readonly ms: number }) => emit('batch-stored', done);
  const ingest = createIngest({ writer, clock, progress, onStored, onStatement, read });
  /** For each lock, the last message that waits until another one's events are stored. */
  const turns = new Map<LockId, Promise<void>>();

  /** While the clock is suspect, nothing is forgotten because of its age. */
  const forgetBefore = (): number => oldestStored(clock.now(), clockTrust.isSuspect(), recordDaysAtMost);

  async function head(): Promise<Head> {
    const [row] = await database.query<Head>(headOfRecords);
    return row as Head;
  }
  /** Readers see these from now on. */
  function announce(some: StoredEvents): void {
    newest = some.firstRecordId + some.drafts.length - 1;
    stored += some.drafts.length;
    recent.add(some);
    pages.added(some.lockId, some.drafts);
    emit('records-stored', some);
  }
  /** Announces what somebody else has stored, or this process without having heard of it. */
  async function announceUpTo(recordId: number): Promise<void> {
    while (newest < recordId) {
      const to = Math.min(recordId, newest + rowsAtOnce);
      const rows = await database.query<RecordRow>(rowsBetween, [newest, to]);
      for (const some of storedEventsOf(rows.map(recordOf))) announce(some);
      newest = to;
    }
  }
  async function onStored(all: readonly { readonly events: StorableEvents; readonly firstRecordId: number }[]): Promise<void> {
    const first = all[0]?.firstRecordId ?? 0;
    if (first > newest + 1)
      await announceUpTo(first - 1).catch((error: unknown) => {
        log.warn(
          { code: 'records-not-announced', from: newest + 1, to: first - 1, err: error },
          'Records were stored that no listener has heard of',
        );
      });
    for (const { events, firstRecordId } of all) {
      progress.commit(events);
      announce({ lockId: events.epoch.lockId, epoch: events.epoch.name, drafts: events.fresh, firstRecordId });
    }
  }
  async function read(lockIds: ReadonlySet<LockId>): Promise<() => void> {
    // After a crash a primary shows what its standby may not have yet. This commit waits until the standby has everything before it.
    await writer.write("SELECT advance('record', 0)");
    await announceUpTo((await head()).last);
    const known: Remembered[] = [];
    for await (const some of rememberedOf(database.query, [...lockIds])) known.push(some);
    return () => {
      progress.forget(lockIds);
      for (const some of known) progress.load(some);
    };
  }
  /** The reservation, or a promise of it; later messages of the lock wait behind it, so that the recordIds rise in the order of the messages. */
  function reserve(lockId: LockId, epoch: string, events: readonly RecordDraft[]): Reservation | Promise<Reservation> {
    const first = turns.get(lockId) ?? progress.reservation(lockId, epoch, events, forgetBefore);
    if (!(first instanceof Promise)) return first;
    const waiting = (async () => {
      let reservation: Reservation | Promise<void> = first;
      while (reservation instanceof Promise) {
        await reservation;
        reservation = progress.reservation(lockId, epoch, events, forgetBefore);
      }
      return reservation;
    })();
    const turn = waiting.then(() => {
      if (turns.get(lockId) === turn) turns.delete(lockId);
    });
    turns.set(lockId, turn);
    return waiting;
  }

  return {
    async open() {
      const { last, ...counts } = await head();
      ({ gone, floor } = counts);
      newest = last;
      const [row] = await database.query<{ serverDate: number }>('SELECT server_date AS "serverDate" FROM record WHERE record_id = $1', [
        last,
      ]);
      await clockTrust.open(row?.serverDate);
      for await (const some of rememberedOf(database.query, null)) progress.load(some);
      await partitions.make();
      isOpen = true;
    },
    async append(lockId, epoch, events): Promise<AppendOutcome> {
      if (!isOpen) throw new DomainError('storage-unavailable', 'This node does not serve; no event was stored');
      ingest.requirePatience();
      for (;;) {
        const begun = reserve(lockId, epoch, events);
        const reservation = begun instanceof Promise ? await ingest.inTime(begun) : begun;
        const { fresh, refused } = reservation;
        if (fresh.length > 0 && (await ingest.store(reservation as StorableEvents)) === 'again') continue;
        duplicates += reservation.duplicates;
        return { stored: fresh.length, duplicates: reservation.duplicates, refused };
      }
    },
    page: pages.page,
    newest: () => newest,
    newestOf: (lockIds) => newestRecordOfEach(database, newest, lockIds),
    newestFirst: (query) => walkNewestFirst(database, { newest, oldest: floor + 1 }, query),
    since: (recordId, wants) => walkSince(since, Math.max(recordId, floor), wants),
    progress: (lockId, epoch) => (isOpen ? progress.of(lockId, epoch) : notKnownYet),
    epochs: progress.epochs,
    count: () => newest - gone,
    seal: partitions.make,
    async purge(now, recordDays) {
      if (!(await clockTrust.isTrusted())) return { deleted: [], clockIsSuspect: true };
      const dropped = await partitions.dropOldest(now, recordDays);
      if (dropped === undefined) return { deleted: [], clockIsSuspect: false };
      ({ gone, floor } = await head());
      pages.deleted();
      return { deleted: [dropped.name], clockIsSuspect: false };
    },
    async forgetLocks(isKnown) {
      const unknown = progress.lockIds().filter((lockId) => !isKnown(lockId));
      let forgotten = 0;
      for (let from = 0; from < unknown.length; from += locksAtOnce) {
        const rows = await database.query<{ lockId: LockId }>(withoutRecords, [unknown.slice(from, from + locksAtOnce)]);
        const gone = rows.map(({ lockId }) => lockId);
        if (gone.length === 0) continue;
        await writer.write(dropStreams, [gone]).catch(storageFailure);
        progress.forget(gone);
        forgotten += gone.length;
      }
      return forgotten;
    },
    requireKnown() {
      if (ingest.isUnknown()) throw new DomainError('storage-unavailable', 'It is not known yet which of the last events are stored');
    },
    close: ingest.close,
    streamConflicts: ingest.conflicts,
    stats: () => ({ records: newest - gone, days: partitions.count(), recordFlushes: ingest.statements(), stored, duplicates }),
  };
}
