// accounts.jsonl stores accounts and the hashes of their tokens, as rows.
import { z } from 'zod';
import { type Account, type AccountId, hasFewerRights, type RemovedAccount, type Token } from '../../../domain/accounts/account.ts';
import { type AccountBook, createAccountBook, type LocalAccountView } from '../../../domain/accounts/account-book.ts';
import type { AccountStore } from '../../../domain/accounts/account-ports.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import { createMutex } from '../../../domain/mutex.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument, DamagedDocumentError, type DocumentFormat } from './document.ts';
import { accountId, idSchema, sha256 } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';
import { loadRows } from './row-upgrade.ts';

const olderAccount = z.strictObject({
  accountId,
  username: z.string().min(1),
  gatewayAdministrator: z.boolean(),
  createdAt: z.int(),
});

const account = olderAccount.extend({ accessManager: z.boolean() }) satisfies z.ZodType<Account>;

const token = z.strictObject({
  tokenId: idSchema,
  accountId,
  name: z.string(),
  hash: sha256,
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
}) satisfies z.ZodType<Token>;

const removed = z.strictObject({ accountId, username: z.string().min(1), removedAt: z.int() }) satisfies z.ZodType<RemovedAccount>;

/** All accounts and tokens of a gateway. */
export interface Accounts {
  readonly accounts: readonly Account[];
  readonly tokens: readonly Token[];
}

type AccountRow = Account | Token | RemovedAccount;

type OlderAccount = z.infer<typeof olderAccount>;

/** Before there were people, gateway administrators had all rights that there were. */
function withAccess(older: OlderAccount): Account {
  return { ...older, accessManager: older.gatewayAdministrator };
}

export const accountRows: RowFormat<AccountRow> = {
  of: 'accounts',
  schemaVersion: 2,
  schema: z.union([token, account, removed]),
  older: {
    schemaVersion: 1,
    schema: z.union([token, olderAccount, removed]),
    upgrade: (rows) =>
      Array.from(rows as Iterable<Token | OlderAccount | RemovedAccount>, (row) => {
        const upgraded = 'gatewayAdministrator' in row ? withAccess(row) : row;
        return [keyOf(upgraded), upgraded] as const;
      }),
  },
};

/** The format of accounts.json, which older programs wrote before there were rows. */
export const olderAccounts: DocumentFormat<Accounts> = {
  schemaVersion: 1,
  schema: z.strictObject({ accounts: z.array(olderAccount.transform(withAccess)), tokens: z.array(token) }),
};

/** More removed accounts than anybody makes before the records that name them are too old. */
const removedAtMost = 10_000;
/** How many tokens of a removed account are deleted at once; other work runs between two slices. */
const forgottenAtOnce = 1_000;

export interface AccountFile extends AccountStore {
  /** False when the file does not exist. */
  open(): Promise<boolean>;
  /** Creates the file with the first account and token. */
  begin(account: Account, token: Token): Promise<void>;
  highest(): { readonly accountId: number; readonly tokenId: number };
  /** For a backup: the content that is on the disk now. */
  backupSource(): BackupSource;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export const accountsName = 'accounts.jsonl';
const olderName = 'accounts.json';

export function createAccountFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly emit?: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
  /** See RowFileOptions. */
  readonly mayCompact?: () => boolean;
}): AccountFile {
  const { files, directory, emit = () => undefined, beforeUpgrade, mayCompact = () => true } = options;
  const path = `${directory}/${accountsName}`;
  const older = `${directory}/${olderName}`;
  const rows = createRowFile({ files, path, format: accountRows, mayCompact, beforeUpgrade });
  const book = createAccountBook();
  const inTurn = createMutex();
  /**
   * The tokens of a removed account are invalid at once; their rows are deleted afterwards, or at the next start if that is interrupted.
   */
  const forgetting = createMutex();

  function requireAccount(accountId: AccountId): Account {
    const account = book.get(accountId);
    if (account === undefined) throw new DomainError('not-found', `there is no account ${accountId}`);
    return account;
  }
  async function forget(some: readonly Token[]): Promise<void> {
    for (let from = 0; from < some.length; from += forgottenAtOnce) {
      const slice = some.slice(from, from + forgottenAtOnce);
      book.forget(slice);
      await rows.update(() => slice.map((one) => [keyOf(one), null] as const)).catch(() => undefined);
    }
  }
  function forgetLater(some: readonly Token[]): void {
    void forgetting(() => forget(some));
  }
  const reader: LocalAccountView = book;

  return {
    ...reader,
    async open() {
      const document = createDocument({ files, path: older, format: olderAccounts });
      if (!(await loadRows({ files, rows, older: { path: older, document, rowsOf }, beforeUpgrade }))) return false;
      const orphans = fill(book, rows.entries());
      if (book.accounts().length === 0) throw new DamagedDocumentError(`${path} is damaged: it holds no account`);
      forgetLater(orphans);
      return true;
    },
    async begin(first, itsToken) {
      await rows.create(rowsOf({ accounts: [first], tokens: [itsToken] }));
      fill(book, rows.entries());
    },
    add: (added) =>
      inTurn(async () => {
        book.refuseTaken(added.username);
        await rows.update(() => [[keyOf(added), added]]);
        book.add(added);
        emit('account-changed', { before: undefined, after: added });
      }),
    setRights: (accountId, { gatewayAdministrator, accessManager }) =>
      inTurn(async () => {
        const before = requireAccount(accountId);
        const after = { ...before, gatewayAdministrator, accessManager };
        await rows.update(() => [[keyOf(after), after]]);
        book.change(after);
        emit('account-changed', { before, after });
        if (hasFewerRights(after, before)) emit('access-ended', { accountId });
        return after;
      }),
    remove: (accountId, removedAt) =>
      inTurn(async () => {
        const account = requireAccount(accountId);
        const gone = { accountId, username: account.username, removedAt };
        const oldest = book.removed().slice(0, -(removedAtMost - 1));
        await rows.update(() => [[keyOf(account), null], [keyOf(gone), gone], ...oldest.map((one) => [keyOf(one), null] as const)]);
        book.forgetNames(oldest);
        book.remember(gone);
        forgetLater(book.remove(accountId));
        emit('account-changed', { before: account, after: undefined });
        emit('access-ended', { accountId });
      }),
    forgetRemoved: (until) =>
      inTurn(async () => {
        const old = book.removed().filter((one) => one.removedAt <= until);
        if (old.length > 0) await rows.update(() => old.map((one) => [keyOf(one), null] as const));
        book.forgetNames(old);
      }),
    addToken: (added) =>
      inTurn(async () => {
        requireAccount(added.accountId);
        await rows.update(() => [[keyOf(added), added]]);
        book.addToken(added);
      }),
    removeTokens: (tokenIds) =>
      inTurn(async () => {
        const gone = [...new Set(tokenIds.flatMap((tokenId) => book.token(tokenId) ?? []))];
        if (gone.length > 0) await rows.update(() => gone.map((one) => [keyOf(one), null] as const));
        book.removeTokens(gone);
        for (const accountId of new Set(gone.map((token) => token.accountId))) emit('access-ended', { accountId });
        return gone;
      }),
    highest: () => ({
      accountId: Math.max(book.accounts().at(-1)?.accountId ?? 0, ...book.removed().map((one) => one.accountId)),
      tokenId: book.tokens().at(-1)?.tokenId ?? 0,
    }),
    backupSource: () => rows.backupSource(accountsName),
    async idle() {
      await forgetting(async () => undefined);
      await rows.idle();
    },
  };
}

/**
 * The accounts of a data directory of any schema, for reading only; undefined when there are none. Changes nothing; rejects as `load` of a
 * document does.
 */
export async function readAccounts(files: FileLayer, directory: string): Promise<LocalAccountView | undefined> {
  const book = createAccountBook();
  const rows = createRowFile({ files, path: `${directory}/${accountsName}`, format: accountRows });
  if (await rows.load()) {
    fill(book, rows.entries());
    return book;
  }
  const document = createDocument({ files, path: `${directory}/${olderName}`, format: olderAccounts });
  if (!(await document.load())) return undefined;
  fill(book, rowsOf(document.current()));
  return book;
}

/** Adds rows to the book; returns the tokens whose account no longer exists. */
function fill(book: AccountBook, rows: Iterable<readonly [string, AccountRow]>): readonly Token[] {
  const { accounts, tokens, removed } = accountsOf(rows);
  for (const one of accounts) book.add(one);
  for (const one of removed) book.remember(one);
  const isOfSomebody = ({ accountId }: Token): boolean => book.get(accountId) !== undefined;
  for (const one of tokens) if (isOfSomebody(one)) book.addToken(one);
  return tokens.filter((one) => !isOfSomebody(one));
}

/** The accounts and tokens in these rows. */
export function accountsOf(rows: Iterable<readonly [string, AccountRow]>): Accounts & { readonly removed: readonly RemovedAccount[] } {
  const [accounts, tokens, removed]: [Account[], Token[], RemovedAccount[]] = [[], [], []];
  for (const [, row] of rows) {
    if ('tokenId' in row) tokens.push(row);
    else if ('removedAt' in row) removed.push(row);
    else accounts.push(row);
  }
  return { accounts, tokens, removed };
}

function rowsOf({ accounts, tokens }: Accounts): [string, AccountRow][] {
  return [...accounts, ...tokens].map((row) => [keyOf(row), row]);
}

function keyOf(row: AccountRow): string {
  if ('tokenId' in row) return `token ${row.tokenId}`;
  return 'removedAt' in row ? `removed ${row.accountId}` : `account ${row.accountId}`;
}
