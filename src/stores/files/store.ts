// The store adapter: implements every store port of the domain with plain JSON files in one data directory.
import { resolve } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import type { DomainError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { Log, Part } from '../../domain/part.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Stores, WallClockTrust } from '../../domain/stores.ts';
import type { BackupSource } from './backup/backup-sources.ts';
import { snapshotNow } from './backup/snapshot.ts';
import { claimDirectory } from './claim-directory.ts';
import { createDirectoryLock } from './directory-lock.ts';
import type { DisabledLock } from './documents/disabled-locks.ts';
import { type FileLayer, nodeFiles } from './files.ts';
import { guardFlushes } from './flush-guard.ts';
import { probe } from './probe.ts';
import type { PurgeOutcome } from './records/record-log.ts';
import { lastRemovalWithoutRecords } from './records/retention.ts';
import { createStoreFiles } from './store-files.ts';

export interface StoreOptions {
  /** The data directory; made (0700) when it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the token of the first start. */
  readonly secrets: Secrets;
  /** Returns a token to use instead of a new one; called at the first start alone, which fails when this rejects. */
  readonly givenAdminToken?: () => Promise<string | undefined>;
  /** Called once, after a flush has failed: the process must end without the promises of a clean stop (Fault T4). */
  readonly onFatal: (error: Error) => void;
  /** Emits each change when readers begin to see it, before its caller gets the answer; by default nothing happens. */
  readonly emit?: Emit;
  readonly files?: FileLayer;
  /** Called once, at a start on data of an older program, before any of it is changed; the start fails when this rejects. */
  readonly beforeUpgrade?: () => Promise<void>;
  /** Whether something synchronises the wall clock; called only while the clock is suspect. By default it asks the kernel. */
  readonly isClockSynchronised?: () => Promise<boolean>;
}

interface StoreStats {
  readonly locks: number;
  readonly disabledLocks: number;
  readonly records: number;
  /** Files of the record log. */
  readonly days: number;
  /** Flushes of the record log since the start. */
  readonly recordFlushes: number;
  /** Since the start: events that became records, and events that were stored already. */
  readonly stored: number;
  readonly duplicates: number;
  /** False after a failed flush. */
  readonly writable: boolean;
}

/** Operations that only a store of files needs. The composition root and the commands call them; the domain does not know them. */
export interface StoreMaintenance {
  /** 32 bytes that sign command ids. */
  commandKey(): Buffer;
  /** The number of this start, from 1: higher than that of every earlier start, also after a restore. */
  startNumber(): number;
  /** Locks with a damaged document: they are not in `locks`, and their MAC addresses cannot be registered. */
  disabledLocks(): readonly DisabledLock[];
  /** Writes and flushes this many bytes, to see whether events can be stored now; `storage-unavailable`. */
  probe(bytes: number): Promise<void>;
  /** What is wrong with an unreadable file of records; undefined: nothing. Each probe tries the file again. */
  unreadable(): DomainError | undefined;
  stats(): StoreStats;
  /**
   * Runs `use` on the documents and records as they are at one instant. Files that are changed, sealed or deleted meanwhile stay readable
   * in that state until `use` has ended.
   */
  atOneInstant<T>(use: (kept: readonly BackupSource[]) => Promise<T>): Promise<T>;
  /** Seals every finished day; to be called after midnight UTC. A start also does it. Never rejects. */
  sealDays(): Promise<void>;
  /**
   * Deletes records older than `recordDays` (30 to 184) and parts of the audit log older than six calendar months, in whole days, at most
   * seven, and what is left of locks that no longer have records; nothing while the clock is suspect. `storage-unavailable`.
   */
  purge(now: number, recordDays: number): Promise<PurgeOutcome>;
}

/** Everything but `start` and `stop` may be used only between them. */
export interface Store extends Part, Stores, WallClockTrust, StoreMaintenance {}

/** `start` rejects with one sentence that names the file or the directory and says what to do. */
export function createStore(options: StoreOptions): Store {
  const { directory, log, onFatal, emit = () => undefined } = options;
  const unguarded = options.files ?? nodeFiles();
  const files = guardFlushes(unguarded, onFatal, (error) => emit('storage-failed', { error }));
  // Without the guard: the lock is released even after a failed flush.
  const directoryLock = createDirectoryLock({ files: unguarded, directory, log });
  const kept = createStoreFiles({ ...options, files, emit });
  const { counters, accounts, hubs, lockFiles, removedLocks, webhooks, records, audit, clockTrust } = kept;
  let opened: Awaited<ReturnType<typeof kept.open>> | undefined;
  let stopping: Promise<void> | undefined;

  function whenOpen(): NonNullable<typeof opened> {
    if (!opened) throw new Error('the store is not started');
    return opened;
  }

  return {
    name: 'store',
    async start() {
      await claimDirectory({ files, unguarded, directory, directoryLock });
      try {
        opened = await kept.open();
      } catch (error) {
        await kept.close();
        await quietly(directoryLock.release());
        throw error;
      }
      log.info({ directory: resolve(directory), locks: lockFiles.locks.all().length, records: records.count() }, 'the store is open');
      // In the background: doors do not wait for it, but `stop` does.
      void records.seal();
    },
    stop() {
      stopping ??= (async () => {
        if (opened) await kept.close();
        files.close();
        await quietly(directoryLock.release());
      })();
      return stopping;
    },
    locks: lockFiles.locks,
    cards: lockFiles.cards,
    removedLocks,
    hubs,
    statuses: kept.statuses,
    batteries: kept.batteries,
    accounts,
    signIns: kept.signIns,
    alarms: kept.alarms,
    webhooks,
    audit,
    counters,
    records,
    quarantine: kept.quarantine,
    commandKey: () => whenOpen().key,
    startNumber: () => whenOpen().start,
    disabledLocks: lockFiles.disabled,
    async probe(bytes) {
      records.tryUnreadable();
      await probe(files, `${directory}/probe.tmp`, bytes);
    },
    unreadable: records.unreadable,
    atOneInstant: (use) =>
      kept.holding(() =>
        records.holding((days) =>
          use(snapshotNow({ files: unguarded, directory, counters, accounts, hubs, lockFiles, removedLocks, webhooks, days })),
        ),
      ),
    sealDays: records.seal,
    async purge(now, recordDays) {
      const outcome = await records.purge(now, recordDays);
      if (outcome.clockIsSuspect) return outcome;
      const ofAudit = await audit.purge(now);
      const withoutRecords = lastRemovalWithoutRecords(now, recordDays);
      const ofRemoved = await removedLocks.forgetBefore(withoutRecords);
      await accounts.forgetRemoved(withoutRecords);
      await lockFiles.cardFiles.forget(retentionCutoff(now, recordDays));
      return { ...outcome, deleted: [...outcome.deleted, ...ofAudit, ...ofRemoved] };
    },
    clockIsSuspect: clockTrust.isSuspect,
    clockIsTrusted: clockTrust.isTrusted,
    acceptClock: clockTrust.accept,
    stats() {
      const log = records.stats();
      return {
        locks: lockFiles.locks.all().length,
        disabledLocks: lockFiles.disabled().length,
        records: log.records,
        days: log.days,
        recordFlushes: log.flushes,
        stored: log.stored,
        duplicates: log.duplicates,
        writable: files.broken() === undefined,
      };
    },
  };
}

async function quietly(action: Promise<void>): Promise<void> {
  await action.catch(() => undefined);
}
