// ttlock-logins.jsonl stores TTLock logins with the hashes of their secrets, and when each was used last. A damaged file is set aside: doors do
// not wait for it, nobody gets in by the logins in it, and a gateway administrator makes them again.
import { z } from 'zod';
import type { Log } from '../../../domain/part.ts';
import { createSortedItems } from '../../../domain/sorted.ts';
import type { TtlockLogin } from '../../../domain/ttlock/ttlock-login.ts';
import type { TtlockLoginStore, TtlockUse } from '../../../domain/ttlock/ttlock-ports.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { DamagedDocumentError } from './document-format.ts';
import { accountId, idSchema, sha256 } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

const login = z.strictObject({
  loginId: idSchema,
  accountId,
  name: z.string(),
  clientId: z.string().regex(/^[0-9a-f]{32}$/),
  secretHash: sha256,
  passwordHash: sha256,
  callback: z.string().nullable(),
  createdAt: z.int(),
}) satisfies z.ZodType<TtlockLogin>;

const use = z.strictObject({ loginId: idSchema, lastUsedAt: z.int() }) satisfies z.ZodType<TtlockUse>;

export type TtlockRow = TtlockLogin | TtlockUse;

export const ttlockLoginRows: RowFormat<TtlockRow> = { of: 'ttlock-logins', schemaVersion: 1, schema: z.union([login, use]) };

export const ttlockLoginsName = 'ttlock-logins.jsonl';

export interface TtlockLoginFile extends TtlockLoginStore {
  /** Reads it; a damaged one is set aside. Rejects with a sentence when it cannot be read, or a newer program wrote it. */
  open(log: Log): Promise<void>;
  /** Creates the file of a gateway without logins, where there is none. */
  begin(): Promise<void>;
  highest(): { readonly ttlockLoginId: number };
  /** For a backup: the content that is on the disk now. */
  backupSource(): BackupSource;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export function createTtlockLoginFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  /** See RowFileOptions. */
  readonly mayCompact?: () => boolean;
}): TtlockLoginFile {
  const { files, directory, mayCompact = () => true } = options;
  const path = `${directory}/${ttlockLoginsName}`;
  const begin = () => createRowFile({ files, path, format: ttlockLoginRows, mayCompact, onFlushed });
  let logins = createSortedItems<TtlockLogin>(({ loginId }) => loginId);
  let byClientId = new Map<string, TtlockLogin>();
  let rows = begin();

  function onFlushed(_key: string, after: TtlockRow | undefined, before: TtlockRow | undefined): void {
    if (before !== undefined && isLogin(before)) {
      logins.remove(before.loginId);
      byClientId.delete(before.clientId);
    }
    if (after === undefined || !isLogin(after)) return;
    logins.put(after);
    byClientId.set(after.clientId, after);
  }
  async function setAside(error: unknown, log: Log): Promise<void> {
    if (!(error instanceof DamagedDocumentError)) throw error;
    const aside = `${ttlockLoginsName}.damaged`;
    await files.rename(path, `${directory}/${aside}`);
    log.error({ code: 'ttlock-logins-lost', err: error, kept: aside }, 'TTLock logins could not be read; make them again');
    // What was read before the damage is dropped, too: the damaged part may have contained its end.
    [logins, byClientId] = [createSortedItems(({ loginId }) => loginId), new Map()];
    rows = begin();
  }

  return {
    get: (loginId) => logins.get(loginId),
    byClientId: (clientId) => byClientId.get(clientId),
    all: () => logins.all(),
    lastUsedAt: (loginId) => (rows.get(useKey(loginId)) as TtlockUse | undefined)?.lastUsedAt ?? null,
    put: (put) => rows.update(() => [[loginKey(put.loginId), put]]),
    remove: (loginIds) =>
      rows.update(({ get }) =>
        loginIds
          .flatMap((loginId) => [loginKey(loginId), useKey(loginId)])
          .filter((key) => get(key) !== undefined)
          .map((key) => [key, null]),
      ),
    noteUses: (uses) =>
      rows.update(({ get }) => uses.filter(({ loginId }) => get(loginKey(loginId)) !== undefined).map((one) => [useKey(one.loginId), one])),
    open: async (log) => {
      await rows.load().catch((error: unknown) => setAside(error, log));
    },
    begin: async () => {
      if (!rows.isThere()) await rows.create([]);
    },
    highest: () => ({ ttlockLoginId: logins.all().at(-1)?.loginId ?? 0 }),
    backupSource: () => rows.backupSource(ttlockLoginsName),
    idle: () => rows.idle(),
  };
}

function isLogin(row: TtlockRow): row is TtlockLogin {
  return 'clientId' in row;
}
function loginKey(loginId: number): string {
  return `login ${loginId}`;
}
function useKey(loginId: number): string {
  return `used ${loginId}`;
}
