// Everything that the store keeps, file by file: made here, opened in one order, closed together.
import type { Log } from '../domain/part.ts';
import type { Clock, Secrets, StoredEvents } from '../domain/ports.ts';
import { createAccountFile } from './account-file.ts';
import { createAlarmFile } from './alarm-file.ts';
import { createAuditLog } from './audit-log.ts';
import { createBatteryFile } from './battery-file.ts';
import { createClockTrust, isKernelClockSynchronised } from './clock-trust.ts';
import { createCounterFile } from './counter-file.ts';
import { keepCopy, loadNeeded, missingDocument } from './document.ts';
import type { FileLayer } from './files.ts';
import { openOrBegin } from './first-start.ts';
import { createHubFile, noHubs } from './hub-file.ts';
import { createLockFiles } from './lock-files.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecordLog } from './record-log.ts';
import { createStatusFile } from './status-file.ts';
import { createWebhookFiles } from './webhook-files.ts';

/** The options of a store, which say what each of them is for. */
interface StoreFilesOptions {
  readonly files: FileLayer;
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly givenAdminToken?: (() => Promise<string | undefined>) | undefined;
  readonly onStored?: ((stored: StoredEvents) => void) | undefined;
  readonly beforeUpgrade?: (() => Promise<void>) | undefined;
  readonly isClockSynchronised?: (() => Promise<boolean>) | undefined;
}

export function createStoreFiles(options: StoreFilesOptions) {
  const { files, directory, clock, log, secrets } = options;
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

  return {
    counters,
    accounts,
    statuses,
    batteries,
    hubs,
    alarms,
    webhooks,
    lockFiles,
    clockTrust,
    records,
    audit,
    quarantine,
    /** Resolves with the key for command ids. Rejects with one sentence that names the file, and what to do. */
    async open(): Promise<Buffer> {
      const key = await openOrBegin({
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
      return key;
    },
    /** Waits for what is on its way to the disk. Never rejects. */
    async close(): Promise<void> {
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
    },
  };
}
