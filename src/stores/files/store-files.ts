// All files of the store: created here, opened in one order, closed together.
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { hubOf } from '../../domain/locks/hub.ts';
import type { Log } from '../../domain/part.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { createAccessLogFiles } from './access/access-log.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { openOrBegin } from './bootstrap.ts';
import { createClockTrust, isKernelClockSynchronised } from './clock-trust.ts';
import { accountCredentialsName, createAccountCredentialFile } from './documents/account-credential-file.ts';
import { createAccountFile } from './documents/account-file.ts';
import { createAccountSettingsFile } from './documents/account-settings-file.ts';
import { createAlarmFile } from './documents/alarm-file.ts';
import { createBatteryFile } from './documents/battery-file.ts';
import { createCounterFile } from './documents/counter-file.ts';
import { keepCopy, loadNeeded, missingDocument } from './documents/document.ts';
import { openGatewayId } from './documents/gateway-file.ts';
import { createHomeCodeFile } from './documents/home-code-file.ts';
import { createHubFile, noHubs } from './documents/hub-file.ts';
import { createImportFiles } from './documents/import-files.ts';
import { createLockFiles } from './documents/lock-files.ts';
import { createPauseFile } from './documents/pause-file.ts';
import { createPersonFile, peopleName } from './documents/person-file.ts';
import { createRemovedLockFiles } from './documents/removed-lock-files.ts';
import { createRevocationFile, revocationsName } from './documents/revocation-file.ts';
import { createScheduleFile, noSchedules } from './documents/schedule-file.ts';
import { createSignInFile } from './documents/sign-in-file.ts';
import { createStatusFile } from './documents/status-file.ts';
import { createTtlockLoginFile } from './documents/ttlock-login-file.ts';
import { createWebhookFiles } from './documents/webhook-files.ts';
import type { FileLayer } from './files.ts';
import { keepJournalsOpen } from './open-journals.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecordLog } from './records/record-log.ts';

/** StoreOptions explains each of them. */
interface StoreFilesOptions {
  readonly files: FileLayer;
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly givenAdminToken?: (() => Promise<string | undefined>) | undefined;
  readonly emit: Emit;
  readonly beforeUpgrade?: (() => Promise<void>) | undefined;
  readonly isClockSynchronised?: (() => Promise<boolean>) | undefined;
}

/** What is known once the files are open: the key for command ids, the number of this start, and whether there was nothing before it. */
export interface OpenedFiles {
  readonly key: Buffer;
  readonly gatewayId: string;
  readonly start: number;
  readonly isFirstStart: boolean;
}

export type StoreFiles = ReturnType<typeof createStoreFiles>;

export function createStoreFiles(options: StoreFilesOptions) {
  const { files, directory, clock, log, secrets, emit } = options;
  let announced: Promise<void> | undefined;
  async function beforeUpgrade(path: string): Promise<void> {
    announced ??= options.beforeUpgrade?.();
    await announced;
    await keepCopy(files, path);
  }
  /** Number of running backups that read files of rows: those are not rewritten meanwhile. */
  let beingRead = 0;
  /** For files of rows, which are appended to now and then. */
  const rowFiles = keepJournalsOpen(files);
  const counters = createCounterFile(files, `${directory}/counters.json`, beforeUpgrade, () => lockFiles.entryFiles.highest());
  const accounts = createAccountFile({ files: rowFiles, directory, emit, beforeUpgrade, mayCompact: () => beingRead === 0 });
  const statuses = createStatusFile({ files, path: `${directory}/status.json`, clock, log, emit, beforeUpgrade });
  const batteries = createBatteryFile({ files, path: `${directory}/battery.json`, clock, log, beforeUpgrade });
  const hubs = createHubFile({ files, path: `${directory}/hubs.json`, emit, beforeUpgrade });
  const signIns = createSignInFile({ files: rowFiles, path: `${directory}/sign-ins.jsonl`, log, beforeUpgrade });
  const signInCredentials = createAccountCredentialFile({ files: rowFiles, directory, mayCompact: () => beingRead === 0 });
  const ttlockLogins = createTtlockLoginFile({ files: rowFiles, directory, mayCompact: () => beingRead === 0 });
  const settings = createAccountSettingsFile({ files: rowFiles, directory, log });
  const alarms = createAlarmFile({ files: rowFiles, directory, log, beforeUpgrade });
  const webhooks = createWebhookFiles({ files, folder: `${directory}/webhooks`, log, emit, beforeUpgrade });
  const people = createPersonFile({ files: rowFiles, directory, emit, mayCompact: () => beingRead === 0 });
  const schedules = createScheduleFile({ files, path: `${directory}/schedules.json`, emit, beforeUpgrade });
  const revocations = createRevocationFile({ files: rowFiles, directory, emit, mayCompact: () => beingRead === 0 });
  const pause = createPauseFile(files, directory);
  const homeCode = createHomeCodeFile(files, directory, log);
  const imports = createImportFiles({ files, folder: `${directory}/imports`, log });
  const lockFiles = createLockFiles({ files: rowFiles, directory, log, emit, beforeUpgrade });
  const removedLocks = createRemovedLockFiles({ files, folder: `${directory}/removed`, log, beforeUpgrade });
  const clockTrust = createClockTrust({
    files,
    path: `${directory}/clock.json`,
    clock,
    log,
    beforeUpgrade,
    isSynchronised: options.isClockSynchronised ?? isKernelClockSynchronised,
  });
  const records = createRecordLog({
    ...{ files, folder: `${directory}/records`, clock, log, counters, clockTrust, emit },
    earlierIds: (lockId) => removedLocks.earlierIds(lockFiles.locks.get(lockId)),
  });
  const audit = createAuditLog({ files, directory, clock, log });
  const access = createAccessLogFiles({ files, folder: `${directory}/access`, clock, log });
  const quarantine = createQuarantine({ files, folder: directory, clock, log });

  /** None of these files existed before latchd had people. */
  async function openPeople(): Promise<void> {
    if (!(await people.open())) {
      if (counters.floor('personId').now() > 0) throw missingDocument(`${directory}/${peopleName}`);
      await people.begin();
    }
    if (!(await loadNeeded(schedules.document, `${directory}/schedules.json`))) {
      if (counters.floor('scheduleId').now() > 0) throw missingDocument(`${directory}/schedules.json`);
      await schedules.document.put(noSchedules);
    }
    if (!(await revocations.open())) {
      if (counters.floor('revocationId').now() > 0) throw missingDocument(`${directory}/${revocationsName}`);
      await revocations.begin();
    }
    await imports.open();
    await pause.open();
  }

  /** What people and programs log in with, besides tokens; none of it existed before people had passwords. */
  async function openSignIns(): Promise<void> {
    if (!(await signInCredentials.open())) {
      if (counters.floor('passkeyId').now() > 0) throw missingDocument(`${directory}/${accountCredentialsName}`);
      await signInCredentials.begin();
    }
    await signIns.open();
    if (!(await ttlockLogins.open(log))) await ttlockLogins.begin();
  }

  return {
    counters,
    accounts,
    statuses,
    batteries,
    hubs,
    signIns,
    signInCredentials,
    ttlockLogins,
    settings,
    alarms,
    webhooks,
    people,
    schedules,
    revocations,
    imports,
    pause,
    homeCode,
    lockFiles,
    removedLocks,
    clockTrust,
    records,
    audit,
    access,
    quarantine,
    /** Rejects with one sentence that names the file and says what to do. */
    async open(): Promise<OpenedFiles> {
      const { key, isFirstStart } = await openOrBegin({
        files,
        directory,
        counters,
        accounts,
        givenAdminToken: options.givenAdminToken,
        secrets,
        clock,
        log,
      });
      await lockFiles.open();
      await removedLocks.open((lockId) => lockFiles.locks.get(lockId) !== undefined);
      await lockFiles.entryFiles.removeLeft((lockId) => removedLocks.get(lockId) !== undefined);
      if (!(await loadNeeded(hubs.document, `${directory}/hubs.json`))) {
        // The file did not exist before latchd had hubs.
        if (lockFiles.locks.all().some((lock) => hubOf(lock) !== null)) throw missingDocument(`${directory}/hubs.json`);
        await hubs.document.put(noHubs);
      }
      await openPeople();
      await openSignIns();
      await webhooks.open();
      const gatewayId = await openGatewayId(files, directory, log);
      const start = counters.floor('start').now() + 1;
      const inLocks = lockFiles.highest();
      const lockId = Math.max(inLocks.lockId, removedLocks.highest().lockId);
      await counters.raise({
        ...inLocks,
        lockId,
        ...accounts.highest(),
        ...webhooks.highest(),
        ...people.highest(),
        ...schedules.highest(),
        ...revocations.highest(),
        ...signInCredentials.highest(),
        ...ttlockLogins.highest(),
        start,
      });
      await statuses.open();
      await batteries.open();
      await settings.open();
      await homeCode.open();
      await alarms.open();
      await audit.open();
      await access.open();
      await records.open();
      await quarantine.open();
      return { key, gatewayId, start, isFirstStart };
    },
    /** No file of rows is rewritten while `use` runs. */
    async holding<T>(use: () => Promise<T>): Promise<T> {
      beingRead += 1;
      const release = lockFiles.entryFiles.hold();
      try {
        return await use();
      } finally {
        beingRead -= 1;
        release();
      }
    },
    /** Waits for running writes. Never rejects. */
    async close(): Promise<void> {
      const closed = await Promise.allSettled([
        statuses.close(),
        batteries.close(),
        records.close(),
        quarantine.close(),
        lockFiles.idle(),
        removedLocks.idle(),
        accounts.idle(),
        hubs.document.idle(),
        signIns.close(),
        signInCredentials.idle(),
        ttlockLogins.idle(),
        settings.idle(),
        alarms.idle(),
        webhooks.idle(),
        people.idle(),
        schedules.document.idle(),
        revocations.idle(),
        imports.idle(),
        pause.document.idle(),
        homeCode.document.idle(),
        audit.close(),
        access.close(),
        counters.close(),
      ]);
      for (const one of closed)
        if (one.status === 'rejected') log.warn({ code: 'store-unclean', err: one.reason }, 'a part of the store did not close cleanly');
      await rowFiles.closeAll();
    },
  };
}
