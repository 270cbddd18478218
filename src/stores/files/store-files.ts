// All files of the store: created here, opened in one order, closed together.
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { Log } from '../../domain/part.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Stores } from '../../domain/stores.ts';
import { createAccessLogFiles } from './access/access-log.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { allSettled, createDocumentStores, type OpenedDocuments } from './document-stores.ts';
import { createBatteryFile } from './documents/battery-file.ts';
import { keepCopy } from './documents/document.ts';
import { createStatusFile } from './documents/status-file.ts';
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

export type StoreFiles = ReturnType<typeof createStoreFiles>;

export function createStoreFiles(options: StoreFilesOptions) {
  const { files, directory, clock, log, emit } = options;
  let announced: Promise<void> | undefined;
  async function beforeUpgrade(path: string): Promise<void> {
    announced ??= options.beforeUpgrade?.();
    await announced;
    await keepCopy(files, path);
  }
  const rowFiles = keepJournalsOpen(files);
  const documents = createDocumentStores({
    ...options,
    ...{ rowFiles, beforeUpgrade, adminToken: { files, path: `${directory}/admin.token` } },
  });
  const statuses = createStatusFile({ files, path: `${directory}/status.json`, clock, log, emit, beforeUpgrade });
  const batteries = createBatteryFile({ files, path: `${directory}/battery.json`, clock, log, beforeUpgrade });
  const records = createRecordLog({
    ...{ files, folder: `${directory}/records`, clock, log, emit },
    ...{ counters: documents.counters, clockTrust: documents.clockTrust, earlierIds: documents.earlierIds },
  });
  const audit = createAuditLog({ files, directory, clock, log });
  const access = createAccessLogFiles({ files, folder: `${directory}/access`, clock, log });
  const quarantine = createQuarantine({ files, folder: directory, clock, log });

  return {
    ...documents,
    ...{ records, audit, access, quarantine },
    ports: { ...documents.ports, statuses, batteries, records, audit, access, quarantine } satisfies Stores,
    /** Rejects with one sentence that names the file and says what to do. */
    async open(): Promise<OpenedDocuments> {
      await documents.load();
      const opened = await documents.begin();
      await statuses.open();
      await batteries.open();
      await audit.open();
      await access.open();
      await records.open();
      await quarantine.open();
      return opened;
    },
    /** Waits for running writes. Never rejects. */
    async close(): Promise<void> {
      await allSettled(log, [
        statuses.close(),
        batteries.close(),
        records.close(),
        quarantine.close(),
        audit.close(),
        access.close(),
        documents.close(),
      ]);
      await rowFiles.closeAll();
    },
  };
}
