// The store adapter: every store port of the domain, as plain JSON files in one data directory.
import { resolve } from 'node:path';
import type { DomainError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { Log, Part } from '../../domain/part.ts';
import type {
  AccountStore,
  AlarmStore,
  AuditStore,
  BatteryStore,
  CardStore,
  Clock,
  CounterStore,
  HubStore,
  LockStore,
  Quarantine,
  RecordStore,
  RemovedLockStore,
  Secrets,
  SignInStore,
  StatusStore,
  WebhookStore,
} from '../../domain/ports.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import type { BackupSource } from './backup/backup-sources.ts';
import { snapshotNow } from './backup/snapshot.ts';
import { claimDirectory } from './claim-directory.ts';
import { createDirectoryLock } from './directory-lock.ts';
import type { DisabledLock } from './documents/lock-files.ts';
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
  /** For the token of the first start. */
  readonly secrets: Secrets;
  /** In place of a token made here; asked at the first start alone, and what it rejects with stops that. */
  readonly givenAdminToken?: () => Promise<string | undefined>;
  /** Called once, after a flush has failed: the process must end without a clean stop's promises (Fault T4). */
  readonly onFatal: (error: Error) => void;
  /** Emits what changes, as soon as readers see it and before whoever asked for it knows; by default nobody hears of it. */
  readonly emit?: Emit;
  readonly files?: FileLayer;
  /** Called once, at a start on data of an older program, before any of it is changed; what it rejects with stops the start. */
  readonly beforeUpgrade?: () => Promise<void>;
  /** Whether something keeps the wall clock right; asked only while it is suspect. By default the kernel is asked. */
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
  /** Events that became records, and those that had been stored before, since the start. */
  readonly stored: number;
  readonly duplicates: number;
  /** False after a failed flush. */
  readonly writable: boolean;
}

/** Everything but `start` and `stop` may be used only between them. */
export interface Store extends Part {
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly removedLocks: RemovedLockStore;
  readonly hubs: HubStore;
  readonly statuses: StatusStore;
  readonly batteries: BatteryStore;
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly alarms: AlarmStore;
  readonly audit: AuditStore;
  readonly webhooks: WebhookStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly quarantine: Quarantine;
  /** 32 bytes for signing command ids. */
  commandKey(): Buffer;
  /** Of this start, from 1: higher than that of every start before it, a restore included. */
  startNumber(): number;
  /** Locks whose document is damaged: not in `locks`, and their MAC addresses cannot be registered. */
  disabledLocks(): readonly DisabledLock[];
  /** Writes and flushes so many bytes, to see whether events can be kept now; `storage-unavailable`. */
  probe(bytes: number): Promise<void>;
  /** What is wrong with a file of records that cannot be read; undefined when nothing is. Each probe has it tried again. */
  unreadable(): DomainError | undefined;
  stats(): StoreStats;
  /**
   * Runs `use` on the documents and records as they were at one instant. What is changed, sealed or deleted meanwhile stays readable as it
   * was until `use` has ended.
   */
  atOneInstant<T>(use: (kept: readonly BackupSource[]) => Promise<T>): Promise<T>;
  /** Seals every finished day: after midnight UTC. Runs at the start by itself. Never rejects. */
  sealDays(): Promise<void>;
  /**
   * Deletes records older than `recordDays` (30 to 184) and parts of the audit log older than six calendar months, whole days, seven at most, and what
   * was left of locks that have no records any more; nothing while the clock is suspect. `storage-unavailable`.
   */
  purge(now: number, recordDays: number): Promise<PurgeOutcome>;
  /** Whether the wall clock may be wrong (Fault T19). */
  clockIsSuspect(): boolean;
  /** Asks the kernel as well, while it is suspect. */
  clockIsTrusted(): Promise<boolean>;
  /** A person says that it is right. `storage-unavailable`. */
  acceptClock(): Promise<void>;
}

/** `start` rejects with one sentence that names the file or the directory, and what to do. */
export function createStore(options: StoreOptions): Store {
  const { directory, log, onFatal, emit = () => undefined } = options;
  const unguarded = options.files ?? nodeFiles();
  const files = guardFlushes(unguarded, onFatal, (error) => emit('storage-failed', { error }));
  // Not guarded: it is given back even after a failed flush.
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
      // In the background: doors do not wait for it, `stop` does.
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
