// account-credentials.jsonl stores what people sign in with, a row for each password and passkey. A damaged file stops the start: without it
// an administrator who needs a passkey would need none.
import { z } from 'zod';
import type { AccountId } from '../../../domain/accounts/account.ts';
import type { Passkey, StoredPassword } from '../../../domain/accounts/sign-in.ts';
import type { CredentialStore } from '../../../domain/accounts/sign-in-ports.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { loadNeeded } from './document.ts';
import { accountId, idSchema } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

const password = z.strictObject({ accountId, hash: z.string(), setAt: z.int() }) satisfies z.ZodType<StoredPassword>;

const passkey = z.strictObject({
  passkeyId: idSchema,
  accountId,
  name: z.string(),
  host: z.string(),
  credentialId: z.string().min(1),
  publicKey: z.string().min(1),
  counter: z.int().min(0),
  transports: z.array(z.string()),
  createdAt: z.int(),
  lastUsedAt: z.int().nullable(),
}) satisfies z.ZodType<Passkey>;

type CredentialRow = StoredPassword | Passkey;

export const accountCredentialRows: RowFormat<CredentialRow> = {
  of: 'account credentials',
  schemaVersion: 1,
  schema: z.union([passkey, password]),
};

export const accountCredentialsName = 'account-credentials.jsonl';

export interface AccountCredentialFile extends CredentialStore {
  /** False when the file does not exist. Rejects with a sentence that names it. */
  open(): Promise<boolean>;
  /** Creates the file of a gateway on which nobody has any, where there is none. */
  begin(): Promise<void>;
  highest(): { readonly passkeyId: number };
  /** For a backup: the content that is on the disk now. */
  backupSource(): BackupSource;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export function createAccountCredentialFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  /** See RowFileOptions. */
  readonly mayCompact?: () => boolean;
}): AccountCredentialFile {
  const { files, directory, mayCompact = () => true } = options;
  const path = `${directory}/${accountCredentialsName}`;
  const byCredential = new Map<string, Passkey>();
  const byAccount = new Map<AccountId, readonly Passkey[]>();
  const rows = createRowFile({ files, path, format: accountCredentialRows, mayCompact, onFlushed });

  function onFlushed(_key: string, after: CredentialRow | undefined, before: CredentialRow | undefined): void {
    if (before !== undefined && 'passkeyId' in before) {
      byCredential.delete(before.credentialId);
      const others = (byAccount.get(before.accountId) ?? []).filter(({ passkeyId }) => passkeyId !== before.passkeyId);
      if (others.length > 0) byAccount.set(before.accountId, others);
      else byAccount.delete(before.accountId);
    }
    if (after === undefined || !('passkeyId' in after)) return;
    byCredential.set(after.credentialId, after);
    const own = [...(byAccount.get(after.accountId) ?? []), after];
    byAccount.set(
      after.accountId,
      own.sort((one, other) => one.passkeyId - other.passkeyId),
    );
  }

  return {
    password: (id) => rows.get(`password ${id}`) as StoredPassword | undefined,
    passkeys: (id) => byAccount.get(id) ?? [],
    passkey: (id) => rows.get(`passkey ${id}`) as Passkey | undefined,
    passkeyByCredential: (credentialId) => byCredential.get(credentialId),
    setPassword: (set) => rows.update(() => [[keyOf(set), set]]),
    putPasskey: (put) => rows.update(() => [[keyOf(put), put]]),
    removePasskey: (id) => rows.update(() => [[`passkey ${id}`, null]]),
    async forget(exists) {
      const left = [...rows.entries()].filter(([, row]) => !exists(row.accountId));
      if (left.length > 0) await rows.update(() => left.map(([key]) => [key, null]));
    },
    open: () => loadNeeded(rows, path),
    begin: async () => {
      if (!rows.isThere()) await rows.create([]);
    },
    highest: () => ({ passkeyId: [...byCredential.values()].reduce((most, { passkeyId }) => Math.max(most, passkeyId), 0) }),
    backupSource: () => rows.backupSource(accountCredentialsName),
    idle: () => rows.idle(),
  };
}

function keyOf(row: CredentialRow): string {
  return 'passkeyId' in row ? `passkey ${row.passkeyId}` : `password ${row.accountId}`;
}
