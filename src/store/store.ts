// The store adapter: every store port of the domain, as plain JSON files in one data directory.
import { resolve } from 'node:path';
import type { DomainError } from '../domain/errors.ts';
import type { Log, Part } from '../domain/part.ts';
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
  Secrets,
  StatusStore,
  StoredEvents,
  WebhookStore,
} from '../domain/ports.ts';
import { createAccountFile } from './account-file.ts';
import { createAlarmFile } from './alarm-file.ts';
import { createAuditLog } from './audit-log.ts';
import { createBatteryFile } from './battery-file.ts';
import { createClockTrust, isKernelClockSynchronised } from './clock-trust.ts';
import { createCounterFile } from './counter-file.ts';
import { createDirectoryLock } from './directory-lock.ts';
import { keepCopy, loadNeeded, missingDocument } from './document.ts';
import { type FileLayer, nodeFiles } from './files.ts';
import { openOrBegin } from './first-start.ts';
import { guardFlushes, storageUnavailable } from './flush-guard.ts';
import { createHubFile, noHubs } from './hub-file.ts';
import type { KeptFile } from './kept-files.ts';
import { createLockFiles, type DisabledLock } from './lock-files.ts';
import { keptNow } from './one-instant.ts';
import { claimDirectory } from './own-directory.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecordLog, type PurgeOutcome } from './record-log.ts';
import { createStatusFile } from './status-file.ts';
import { createWebhookFiles } from './webhook-files.ts';

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
  /** Called for every change that the disk has refused, whoever asked for it: `storage-unavailable`. */
  readonly onFailed?: (error: Error) => void;
  /** Called in the order of recordIds, as soon as the events are flushed and before that is acknowledged. Must not throw. */
  readonly onStored?: (stored: StoredEvents) => void;
  readonly files?: FileLayer;
  /** Called once, at a start on data of an older program, before any of it is changed; what it rejects with stops the start. */
  readonly beforeUpgrade?: () => Promise<void>;
  /** Whether something keeps the wall clock right; asked only while it is suspect. By default the kernel is asked. */
  readonly isClockSynchronised?: () => Promise<boolean>;
}

interface StoreFigures {
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
  readonly hubs: HubStore;
  readonly statuses: StatusStore;
  readonly batteries: BatteryStore;
  readonly accounts: AccountStore;
  readonly alarms: AlarmStore;
  readonly audit: AuditStore;
  readonly webhooks: WebhookStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly quarantine: Quarantine;
  /** 32 bytes for signing command ids. */
  commandKey(): Buffer;
  /** Locks whose document is damaged: not in `locks`, and their MAC addresses cannot be registered. */
  disabledLocks(): readonly DisabledLock[];
  /** Writes and flushes so many bytes, to see whether events can be kept now; `storage-unavailable`. */
  probe(bytes: number): Promise<void>;
  /** What is wrong with a file of records that cannot be read; undefined when nothing is. Each probe has it tried again. */
  unreadable(): DomainError | undefined;
  figures(): StoreFigures;
  /**
   * Runs `use` on the documents and records as they were at one instant. What is changed, sealed or deleted meanwhile stays readable as it
   * was until `use` has ended.
   */
  atOneInstant<T>(use: (kept: readonly KeptFile[]) => Promise<T>): Promise<T>;
  /** Seals every finished day: after midnight UTC. Runs at the start by itself. Never rejects. */
  sealDays(): Promise<void>;
  /** Deletes records and parts of the audit log older than six calendar months, whole days, seven at most; nothing while the clock is suspect. `storage-unavailable`. */
  purge(now: number): Promise<PurgeOutcome>;
  /** Whether the wall clock may be wrong (Fault T19). */
  clockIsSuspect(): boolean;
  /** A person says that it is right. `storage-unavailable`. */
  acceptClock(): Promise<void>;
}

/** `start` rejects with one sentence that names the file or the directory, and what to do. */
export function createStore(options: StoreOptions): Store {
  const { directory, clock, log, secrets, onFatal, onFailed = () => undefined } = options;
  const unguarded = options.files ?? nodeFiles();
  const files = guardFlushes(unguarded, onFatal, onFailed);
  // Not guarded: it is given back even after a failed flush.
  const directoryLock = createDirectoryLock({ files: unguarded, directory, log });
  let announced: Promise<void> | undefined;
  async function beforeUpgrade(path: string): Promise<void> {
    announced ??= options.beforeUpgrade?.();
    await announced;
    await keepCopy(files, path);
  }
  const counters = createCounterFile(files, `${directory}/counters.json`, beforeUpgrade);
  const accounts = createAccountFile(files, `${directory}/accounts.json`, beforeUpgrade);
  const statuses = createStatusFile({ files, path: `${directory}/status.json`, clock, log, beforeUpgrade });
  const batteries = createBatteryFile({ files, path: `${directory}/battery.json`, clock, log, beforeUpgrade });
  const hubs = createHubFile(files, `${directory}/hubs.json`, beforeUpgrade);
  const alarms = createAlarmFile({ files, path: `${directory}/alarms.json`, log, beforeUpgrade });
  const webhooks = createWebhookFiles({ files, folder: `${directory}/webhooks`, log, beforeUpgrade });
  const lockFiles = createLockFiles({ files, folder: `${directory}/locks`, log, beforeUpgrade });
  const clockTrust = createClockTrust({
    files,
    path: `${directory}/clock.json`,
    clock,
    log,
    beforeUpgrade,
    isSynchronised: options.isClockSynchronised ?? isKernelClockSynchronised,
  });
  const records = createRecordLog({ files, folder: `${directory}/records`, clock, log, counters, clockTrust, onStored: options.onStored });
  const audit = createAuditLog({ files, directory, clock, log });
  const quarantine = createQuarantine({ files, folder: directory, clock, log });
  let key: Buffer | undefined;
  let isOpen = false;
  let stopping: Promise<void> | undefined;

  async function openAll(): Promise<void> {
    key = await openOrBegin({ files, directory, counters, accounts, givenAdminToken: options.givenAdminToken, secrets, clock, log });
    await lockFiles.open();
    if (!(await loadNeeded(hubs.document, `${directory}/hubs.json`))) {
      // Before there were hubs there was no such file.
      if (lockFiles.locks.all().some((lock) => lock.hubId !== null)) throw missingDocument(`${directory}/hubs.json`);
      await hubs.document.put(noHubs);
    }
    await webhooks.open();
    await counters.raise({ ...lockFiles.highest(), ...accounts.highest(), ...webhooks.highest() });
    await statuses.open();
    await batteries.open();
    await alarms.open();
    await audit.open();
    await records.open();
    await quarantine.open();
  }
  async function closeAll(): Promise<void> {
    const closed = await Promise.allSettled([
      statuses.close(),
      batteries.close(),
      records.close(),
      quarantine.close(),
      lockFiles.idle(),
      accounts.document.idle(),
      hubs.document.idle(),
      alarms.document.idle(),
      webhooks.idle(),
      audit.close(),
      counters.document.idle(),
    ]);
    for (const one of closed)
      if (one.status === 'rejected') log.warn({ code: 'store-unclean', err: one.reason }, 'a part of the store did not close cleanly');
  }

  return {
    name: 'store',
    async start() {
      await claimDirectory({ files, unguarded, directory, directoryLock });
      try {
        await openAll();
        isOpen = true;
      } catch (error) {
        await closeAll();
        await quietly(directoryLock.release());
        throw error;
      }
      log.info({ directory: resolve(directory), locks: lockFiles.locks.all().length, records: records.count() }, 'the store is open');
      // In the background: doors do not wait for it, `stop` does.
      void records.seal();
    },
    stop() {
      stopping ??= (async () => {
        if (isOpen) await closeAll();
        files.close();
        await quietly(directoryLock.release());
      })();
      return stopping;
    },
    locks: lockFiles.locks,
    cards: lockFiles.cards,
    hubs,
    statuses,
    batteries,
    accounts,
    alarms,
    webhooks,
    audit,
    counters,
    records,
    quarantine,
    commandKey() {
      if (!key) throw new Error('the store is not started');
      return key;
    },
    disabledLocks: lockFiles.disabled,
    async probe(bytes) {
      records.tryUnreadable();
      await probe(files, `${directory}/probe.tmp`, bytes);
    },
    unreadable: records.unreadable,
    atOneInstant: (use) =>
      records.holding((days) => use(keptNow({ files: unguarded, directory, counters, accounts, hubs, lockFiles, webhooks, days }))),
    sealDays: records.seal,
    async purge(now) {
      const outcome = await records.purge(now);
      if (outcome.clockIsSuspect) return outcome;
      return { ...outcome, deleted: [...outcome.deleted, ...(await audit.purge(now))] };
    },
    clockIsSuspect: clockTrust.isSuspect,
    acceptClock: clockTrust.accept,
    figures() {
      const log = records.figures();
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

async function probe(files: FileLayer, path: string, bytes: number): Promise<void> {
  try {
    const file = await files.open(path, 'replace');
    try {
      await file.write(Buffer.alloc(bytes, 'latchd '), 0);
      await file.sync();
    } finally {
      await file.close();
      await files.unlink(path);
    }
  } catch (error) {
    throw storageUnavailable(error);
  }
}

async function quietly(action: Promise<void>): Promise<void> {
  await action.catch(() => undefined);
}
