// The stores of documents and rows: created here, opened in one order. They are the same ones over files and over a database: the file layer
// says where.
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { hubOf } from '../../domain/locks/hub.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Stores } from '../../domain/stores.ts';
import { type AdminTokenFile, beginFirst, loadFirst } from './bootstrap.ts';
import { createClockTrust, isKernelClockSynchronised } from './clock-trust.ts';
import { accountCredentialsName, createAccountCredentialFile } from './documents/account-credential-file.ts';
import { createAccountFile } from './documents/account-file.ts';
import { createAccountSettingsFile } from './documents/account-settings-file.ts';
import { createAlarmFile } from './documents/alarm-file.ts';
import { createCounterFile } from './documents/counter-file.ts';
import { type BeforeUpgrade, loadNeeded, missingDocument } from './documents/document.ts';
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
import { createTtlockLoginFile } from './documents/ttlock-login-file.ts';
import { createWebhookFiles } from './documents/webhook-files.ts';
import type { FileLayer } from './files.ts';

export interface DocumentStoresOptions {
  readonly files: FileLayer;
  /** For rows, which are appended to now and then. */
  readonly rowFiles: FileLayer;
  /** Where they lie. */
  readonly directory: string;
  readonly adminToken: AdminTokenFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  /** See StoreOptions. */
  readonly givenAdminToken?: (() => Promise<string | undefined>) | undefined;
  readonly emit: Emit;
  readonly beforeUpgrade: BeforeUpgrade;
  readonly isClockSynchronised?: (() => Promise<boolean>) | undefined;
}

/** What is known once the documents are open: the key for command ids, the number of this start, and whether there was nothing before it. */
export interface OpenedDocuments {
  readonly key: Buffer;
  readonly gatewayId: string;
  readonly start: number;
  readonly isFirstStart: boolean;
}

export type DocumentStores = ReturnType<typeof createDocumentStores>;

export function createDocumentStores(options: DocumentStoresOptions) {
  const { files, rowFiles, directory, adminToken, clock, log, secrets, emit, beforeUpgrade } = options;
  /** Number of running backups that read files of rows: those are not rewritten meanwhile. */
  let beingRead = 0;
  let isFirstStart = false;
  const counters = createCounterFile(files, `${directory}/counters.json`, beforeUpgrade, () => lockFiles.entryFiles.highest());
  const accounts = createAccountFile({ files: rowFiles, directory, emit, beforeUpgrade, mayCompact: () => beingRead === 0 });
  const hubs = createHubFile({ files, path: `${directory}/hubs.json`, emit, beforeUpgrade });
  const signIns = createSignInFile({ files: rowFiles, path: `${directory}/sign-ins.jsonl`, log, emit, beforeUpgrade });
  const signInCredentials = createAccountCredentialFile({ files: rowFiles, directory, mayCompact: () => beingRead === 0 });
  const ttlockLogins = createTtlockLoginFile({ files: rowFiles, directory, mayCompact: () => beingRead === 0 });
  const settings = createAccountSettingsFile({ files: rowFiles, directory, log });
  const alarms = createAlarmFile({ files: rowFiles, directory, log, emit, beforeUpgrade });
  const webhooks = createWebhookFiles({ files, folder: `${directory}/webhooks`, log, emit, beforeUpgrade });
  const people = createPersonFile({ files: rowFiles, directory, emit, mayCompact: () => beingRead === 0 });
  const schedules = createScheduleFile({ files, path: `${directory}/schedules.json`, emit, beforeUpgrade });
  const revocations = createRevocationFile({ files: rowFiles, directory, emit, mayCompact: () => beingRead === 0 });
  const pause = createPauseFile(files, directory);
  const homeCode = createHomeCodeFile(files, directory, log, emit);
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

  /** For a file that older programs did not have: it is missing where one of its ids was given out. */
  function requireNone(kind: 'personId' | 'scheduleId' | 'revocationId' | 'passkeyId', name: string): void {
    if (counters.document.isThere() && counters.floor(kind).now() > 0) throw missingDocument(`${directory}/${name}`);
  }

  return {
    counters,
    accounts,
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
    /** What the domain uses. */
    ports: {
      locks: lockFiles.locks,
      entries: lockFiles.entries,
      ...{ removedLocks, hubs, accounts, signIns, signInCredentials, ttlockLogins, settings, alarms, webhooks },
      ...{ people, schedules, revocations, imports, pause, homeCode, counters },
    } satisfies Omit<Stores, 'statuses' | 'batteries' | 'records' | 'audit' | 'access' | 'quarantine'>,
    /** The ids that the device of a lock had before. */
    earlierIds: (lockId: LockId) => removedLocks.earlierIds(lockFiles.locks.get(lockId)),
    /**
     * Reads everything; writes only what is damaged or of an older schema. Rejects with one sentence that names the file and says what to do.
     */
    async load(): Promise<void> {
      isFirstStart = await loadFirst({ files, directory, counters, accounts });
      await lockFiles.open();
      await removedLocks.open();
      // The file did not exist before latchd had hubs.
      if (!(await loadNeeded(hubs.document, `${directory}/hubs.json`)) && lockFiles.locks.all().some((lock) => hubOf(lock) !== null))
        throw missingDocument(`${directory}/hubs.json`);
      if (!(await people.open())) requireNone('personId', peopleName);
      if (!(await loadNeeded(schedules.document, `${directory}/schedules.json`))) requireNone('scheduleId', 'schedules.json');
      if (!(await revocations.open())) requireNone('revocationId', revocationsName);
      await imports.open();
      await pause.open();
      if (!(await signInCredentials.open())) requireNone('passkeyId', accountCredentialsName);
      await signIns.open();
      await ttlockLogins.open(log);
      await webhooks.open();
      await settings.open();
      await homeCode.open();
      await alarms.open();
    },
    /** After `load`: makes what is missing, and ends what an earlier start has left. From then on the stores may be changed. Rejects as `load`. */
    async begin(): Promise<OpenedDocuments> {
      const key = await beginFirst({
        ...{ files, directory, isFirstStart, adminToken, counters, accounts, secrets, clock, log },
        givenAdminToken: options.givenAdminToken,
      });
      accounts.forgetOrphans();
      await removedLocks.forgetUnfinished((lockId) => lockFiles.locks.get(lockId) !== undefined);
      await lockFiles.entryFiles.removeLeft((lockId) => removedLocks.get(lockId) !== undefined);
      if (!hubs.document.isThere()) await hubs.document.put(noHubs);
      await people.begin();
      if (!schedules.document.isThere()) await schedules.document.put(noSchedules);
      await revocations.begin();
      await signInCredentials.begin();
      await signIns.beginFile();
      await ttlockLogins.begin();
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
      await settings.begin();
      await alarms.begin();
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
      await allSettled(log, [
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
        counters.close(),
      ]);
    },
  };
}

/** Waits for all; what rejects is in the log. */
export async function allSettled(log: Log, closing: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(closing))
    if (one.status === 'rejected') log.warn({ code: 'store-unclean', err: one.reason }, 'a part of the store did not close cleanly');
}
