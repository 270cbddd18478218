// The operations on the files themselves that only a store of files needs: the probe, sealing, backups, deletion for age.
import type { DomainError } from '../../domain/errors.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import type { BackupSource } from './backup/backup-sources.ts';
import { snapshotNow } from './backup/snapshot.ts';
import { isInSnapshot } from './data-directory.ts';
import type { OpenedDocuments } from './document-stores.ts';
import type { DisabledLock } from './documents/disabled-locks.ts';
import type { FileLayer } from './files.ts';
import type { GuardedFiles } from './flush-guard.ts';
import { probe } from './probe.ts';
import type { PurgeOutcome } from './records/record-log.ts';
import { lastRemovalWithoutRecords } from './records/retention.ts';
import type { StoreFiles } from './store-files.ts';

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

/** The composition root and the commands call them; the domain does not know them. */
export interface StoreMaintenance {
  /** 32 bytes that sign command ids. */
  commandKey(): Buffer;
  /** 8 hex digits, made once: the id of this gateway where several may be. A restored gateway has that of its backup. */
  gatewayId(): string;
  /**
   * The number of this start, from 1: higher than that of every earlier start, also after a restore; undefined while another node may still serve.
   */
  startNumber(): number | undefined;
  /** Whether this start has made the data directory. */
  isFirstStart(): boolean;
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
  atOneInstant<T>(use: (sources: readonly BackupSource[]) => Promise<T>): Promise<T>;
  /** Whether a backup takes this file from the data directory, beside what `atOneInstant` gives. */
  isBeside(name: string): boolean;
  /** Seals every finished day; to be called after midnight UTC. A start also does it. Never rejects. */
  sealDays(): Promise<void>;
  /**
   * Deletes records and access lines older than `recordDays` (30 to 184) and parts of the audit log older than six calendar months, in whole
   * days, at most seven, and what is left of locks that no longer have records; nothing while the clock is suspect. `storage-unavailable`.
   */
  purge(now: number, recordDays: number): Promise<PurgeOutcome>;
}

/** `whenOpen` throws while the store is not open. */
export function createStoreMaintenance(options: {
  readonly files: GuardedFiles;
  /** Without the guard, so that a backup reads also after a failed flush. */
  readonly unguarded: FileLayer;
  readonly directory: string;
  readonly storeFiles: StoreFiles;
  readonly whenOpen: () => OpenedDocuments;
}): StoreMaintenance {
  const { files, unguarded, directory, storeFiles, whenOpen } = options;
  const {
    counters,
    accounts,
    signInCredentials,
    ttlockLogins,
    hubs,
    people,
    schedules,
    revocations,
    lockFiles,
    removedLocks,
    webhooks,
    records,
    audit,
    access,
  } = storeFiles;

  return {
    commandKey: () => whenOpen().key,
    gatewayId: () => whenOpen().gatewayId,
    startNumber: () => whenOpen().start,
    isFirstStart: () => whenOpen().isFirstStart,
    disabledLocks: lockFiles.disabled,
    async probe(bytes) {
      records.tryUnreadable();
      await probe(files, `${directory}/probe.tmp`, bytes);
    },
    unreadable: records.unreadable,
    isBeside: (name) => !isInSnapshot(name),
    atOneInstant: (use) =>
      storeFiles.holding(() =>
        records.holding((days) =>
          use(
            snapshotNow({
              ...{
                files: unguarded,
                directory,
                counters,
                accounts,
                signInCredentials,
                ttlockLogins,
                hubs,
                people,
                schedules,
                revocations,
                lockFiles,
                removedLocks,
                webhooks,
                days,
              },
            }),
          ),
        ),
      ),
    sealDays: records.seal,
    async purge(now, recordDays) {
      await people.tidy();
      const outcome = await records.purge(now, recordDays);
      if (outcome.clockIsSuspect) return outcome;
      const ofAudit = await audit.purge(now);
      const ofAccess = await access.purge(now, recordDays);
      const withoutRecords = lastRemovalWithoutRecords(now, recordDays);
      const ofRemoved = await removedLocks.forgetBefore(withoutRecords);
      await accounts.forgetRemoved(withoutRecords);
      await lockFiles.entryFiles.forget(retentionCutoff(now, recordDays));
      return { ...outcome, deleted: [...outcome.deleted, ...ofAudit, ...ofAccess, ...ofRemoved] };
    },
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
