// account-settings.jsonl stores what each account has chosen for itself, a row for each. A damaged file is set aside: people choose again.
import { z } from 'zod';
import type { AccountId } from '../../../domain/accounts/account.ts';
import { type AccountSettings, type AccountSettingsStore, untouchedSettings } from '../../../domain/accounts/account-settings.ts';
import { alarmKinds } from '../../../domain/alarms/alarm.ts';
import { languages, notificationKinds, notifiedEvents } from '../../../domain/notifications/notification.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { NewerSchemaError } from './document-format.ts';
import { accountId, lockId } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

const kind = z.enum(notificationKinds);
const alarm = { kind: z.enum(alarmKinds), lockId: lockId.nullable(), since: z.int() };
const count = z.int().min(0);
const channel = z.strictObject({
  to: z.string(),
  alarms: z.boolean(),
  events: z.array(z.enum(notifiedEvents)),
  lockIds: z.array(lockId),
  groupIds: z.array(count),
  confirmation: z.strictObject({ hash: z.string(), until: z.int() }).nullable(),
  progress: z.strictObject({
    kinds: z.array(z.strictObject({ kind, done: count, sentAt: z.int().nullable() })),
    waiting: z.array(z.strictObject({ ...alarm, at: z.int() })),
    alarms: z.array(z.strictObject(alarm)),
    failed: z.array(z.strictObject({ kind, at: z.int(), count, attempts: count, triedAt: z.int(), reason: z.string() })),
    forgotten: count,
  }),
});

export const settingsRows: RowFormat<AccountSettings> = {
  of: 'account-settings',
  schemaVersion: 1,
  schema: z.strictObject({
    accountId,
    favourites: z.array(lockId),
    notifications: z
      .strictObject({
        language: z.enum(languages),
        channels: z.strictObject({ email: channel.exactOptional(), ntfy: channel.exactOptional() }),
      })
      .exactOptional(),
    invitedBy: accountId.exactOptional(),
  }) satisfies z.ZodType<AccountSettings>,
};

export const settingsName = 'account-settings.jsonl';

export interface AccountSettingsFile extends AccountSettingsStore {
  /** Reads it; a damaged one is set aside. */
  open(): Promise<void>;
  /** Makes it where there is none. */
  begin(): Promise<void>;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export function createAccountSettingsFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
}): AccountSettingsFile {
  const { files, directory, log } = options;
  const path = `${directory}/${settingsName}`;
  const begin = () => createRowFile({ files, path, format: settingsRows });
  let rows = begin();

  async function setAside(error: unknown): Promise<void> {
    if (error instanceof NewerSchemaError) throw error;
    const aside = `${settingsName}.damaged`;
    await files.rename(path, `${directory}/${aside}`);
    log.warn(
      { code: 'account-settings-lost', err: error, kept: aside },
      'what accounts have chosen could not be read; people choose again',
    );
    rows = begin();
  }

  return {
    of: (id) => rows.get(keyOf(id)) ?? untouchedSettings(id),
    all: () => [...rows.entries()].map(([, row]) => row),
    update: (id, change) => rows.update(({ get }) => [[keyOf(id), change(get(keyOf(id)) ?? untouchedSettings(id))]]),
    remove: (id) => rows.update(({ get }) => (get(keyOf(id)) === undefined ? [] : [[keyOf(id), null]])),
    async open() {
      await rows.load().catch(setAside);
    },
    async begin() {
      if (!rows.isThere()) await rows.create([]);
    },
    idle: () => rows.idle(),
  };
}

function keyOf(id: AccountId): string {
  return `account ${id}`;
}
