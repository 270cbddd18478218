// The content of a backup of a running store: its documents and records as they are at one instant.
import type { AccountCredentialFile } from '../documents/account-credential-file.ts';
import type { AccountFile } from '../documents/account-file.ts';
import type { CounterFile } from '../documents/counter-file.ts';
import type { Document } from '../documents/document.ts';
import type { HubFile } from '../documents/hub-file.ts';
import type { LockFiles } from '../documents/lock-files.ts';
import type { PersonFile } from '../documents/person-file.ts';
import type { RemovedLockFiles } from '../documents/removed-lock-files.ts';
import type { RevocationFile } from '../documents/revocation-file.ts';
import type { ScheduleFile } from '../documents/schedule-file.ts';
import type { TtlockLoginFile } from '../documents/ttlock-login-file.ts';
import type { WebhookFiles } from '../documents/webhook-files.ts';
import type { FileLayer } from '../files.ts';
import { type DayFile, dayFileName, indexFileName } from '../records/day-file.ts';
import { isSealed } from '../records/sealed-day.ts';
import { type BackupSource, sourceOfBytes, sourceOfPart, sourceOfPath } from './backup-sources.ts';

/** The state at this moment: all of it is captured before the first await. `days` must stay open until they have been read. */
export function snapshotNow(store: {
  readonly files: FileLayer;
  readonly directory: string;
  readonly counters: Pick<CounterFile, 'document'>;
  readonly accounts: Pick<AccountFile, 'backupSource'>;
  readonly signInCredentials: Pick<AccountCredentialFile, 'backupSource'>;
  readonly ttlockLogins: Pick<TtlockLoginFile, 'backupSource'>;
  readonly hubs: Pick<HubFile, 'document'>;
  readonly people: Pick<PersonFile, 'backupSource'>;
  readonly schedules: Pick<ScheduleFile, 'document'>;
  readonly revocations: Pick<RevocationFile, 'backupSource'>;
  /** The caller holds their files until the returned sources have been read. */
  readonly lockFiles: Pick<LockFiles, 'flushed' | 'entryFiles'>;
  readonly removedLocks: Pick<RemovedLockFiles, 'flushed'>;
  readonly webhooks: Pick<WebhookFiles, 'flushed'>;
  readonly days: readonly DayFile[];
}): BackupSource[] {
  const { files, directory, counters, accounts, signInCredentials, ttlockLogins, hubs, people, schedules } = store;
  const { revocations, lockFiles, removedLocks, webhooks, days } = store;
  const document = (name: string, whole: Document<object>) => sourceOfBytes(name, whole.flushedText());

  function dayFiles(day: DayFile): BackupSource[] {
    const file = sourceOfPart(`records/${dayFileName(day.name)}`, day.bytes(), day.readAt);
    // An index is only valid for the sorted lines of a sealed day; a day restored without its index is sealed again.
    return isSealed(day) ? [file, sourceOfPath(files, directory, `records/${indexFileName(day.name)}`)] : [file];
  }

  return [
    document('counters.json', counters.document),
    accounts.backupSource(),
    signInCredentials.backupSource(),
    ttlockLogins.backupSource(),
    document('hubs.json', hubs.document),
    people.backupSource(),
    document('schedules.json', schedules.document),
    revocations.backupSource(),
    // A damaged document is copied as it is on the disk.
    ...lockFiles
      .flushed()
      .map(([name, text]) => (text ? sourceOfBytes(`locks/${name}`, text) : sourceOfPath(files, directory, `locks/${name}`))),
    ...removedLocks.flushed().map(([name, text]) => sourceOfBytes(`removed/${name}`, text)),
    ...lockFiles.entryFiles.backupSource(),
    ...webhooks.flushed().map(([name, text]) => sourceOfBytes(`webhooks/${name}`, text)),
    ...days.flatMap(dayFiles),
  ];
}
