// accounts.jsonl stores accounts and the hashes of their tokens, as rows.
import { type Account, type AccountId, hasFewerRights, type Token } from '../../../domain/accounts/account.ts';
import { type AccountBook, createAccountBook, type LocalAccountView } from '../../../domain/accounts/account-book.ts';
import type { AccountStore } from '../../../domain/accounts/account-ports.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import { createMutex } from '../../../domain/mutex.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { type AccountRow, accountKeyOf, accountRows, accountRowsOf, accountsOf, olderAccounts } from './account-rows.ts';
import { type BeforeUpgrade, createDocument } from './document.ts';
import { DamagedDocumentError } from './document-format.ts';
import { createRowFile } from './row-file.ts';
import { loadRows } from './row-upgrade.ts';

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
      await rows.update(() => slice.map((one) => [accountKeyOf(one), null] as const)).catch(() => undefined);
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
      if (!(await loadRows({ files, rows, older: { path: older, document, rowsOf: accountRowsOf }, beforeUpgrade }))) return false;
      const orphans = fill(book, rows.entries());
      if (book.accounts().length === 0) throw new DamagedDocumentError(`${path} is damaged: it holds no account`);
      forgetLater(orphans);
      return true;
    },
    async begin(first, itsToken) {
      await rows.create(accountRowsOf({ accounts: [first], tokens: [itsToken] }));
      fill(book, rows.entries());
    },
    add: (added) =>
      inTurn(async () => {
        book.refuseTaken(added.username);
        await rows.update(() => [[accountKeyOf(added), added]]);
        book.add(added);
        emit('account-changed', { before: undefined, after: added });
      }),
    setRights: (accountId, { gatewayAdministrator, accessManager }) =>
      inTurn(async () => {
        const before = requireAccount(accountId);
        const after = { ...before, gatewayAdministrator, accessManager };
        await rows.update(() => [[accountKeyOf(after), after]]);
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
        await rows.update(() => [
          [accountKeyOf(account), null],
          [accountKeyOf(gone), gone],
          ...oldest.map((one) => [accountKeyOf(one), null] as const),
        ]);
        book.forgetNames(oldest);
        book.remember(gone);
        forgetLater(book.remove(accountId));
        emit('account-changed', { before: account, after: undefined });
        emit('access-ended', { accountId });
      }),
    forgetRemoved: (until) =>
      inTurn(async () => {
        const old = book.removed().filter((one) => one.removedAt <= until);
        if (old.length > 0) await rows.update(() => old.map((one) => [accountKeyOf(one), null] as const));
        book.forgetNames(old);
      }),
    addToken: (added, replaced) =>
      inTurn(async () => {
        requireAccount(added.accountId);
        if (replaced !== undefined) book.requireToken(replaced);
        const gone = replaced === undefined ? [] : [[accountKeyOf(replaced), null] as const];
        await rows.update(() => [...gone, [accountKeyOf(added), added]]);
        if (replaced !== undefined) book.removeToken(replaced);
        book.addToken(added);
      }),
    removeTokens: (tokenIds) =>
      inTurn(async () => {
        const gone = [...new Set(tokenIds.flatMap((tokenId) => book.token(tokenId) ?? []))];
        if (gone.length > 0) await rows.update(() => gone.map((one) => [accountKeyOf(one), null] as const));
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
  fill(book, accountRowsOf(document.current()));
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
