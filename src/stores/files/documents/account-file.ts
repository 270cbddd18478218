// accounts.jsonl stores accounts and the hashes of their tokens, as rows.
import { type Account, type AccountId, hasFewerRights, type Token } from '../../../domain/accounts/account.ts';
import {
  type AccountBook,
  type AccountItem,
  createAccountBook,
  type LocalAccountView,
  refuseTakenAmong,
} from '../../../domain/accounts/account-book.ts';
import type { AccountStore } from '../../../domain/accounts/account-ports.ts';
import type { Change } from '../../../domain/change.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import { createMutex } from '../../../domain/mutex.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { accountKey, accountKeyOf, accountRows, accountRowsOf, olderAccounts, tokenKey } from './account-rows.ts';
import { type BeforeUpgrade, createDocument } from './document.ts';
import { DamagedDocumentError } from './document-format.ts';
import { createRowFile } from './row-file.ts';
import type { RowChange } from './row-reader.ts';
import { loadRows } from './row-upgrade.ts';
import type { NewestRows } from './rows.ts';

/** More removed accounts than anybody makes before the records that name them are too old. */
const removedAtMost = 10_000;
/** How many tokens of a removed account are deleted at once; other work runs between two slices. */
const forgottenAtOnce = 1_000;

export interface AccountFile extends AccountStore {
  /** False when the file does not exist. */
  open(): Promise<boolean>;
  /** Deletes, behind the caller, the tokens whose accounts were removed before this start. */
  forgetOrphans(): void;
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
  const book = createAccountBook();
  const view: LocalAccountView = book;
  const rows = createRowFile({ files, path, format: accountRows, mayCompact, beforeUpgrade, onGroup });
  let isOpen = false;
  /**
   * The tokens of a removed account are invalid at once; their rows are deleted afterwards, or at the next start if that is interrupted.
   */
  const forgetting = createMutex();

  function onGroup(group: readonly Change<AccountItem>[]): void {
    if (!isOpen) return;
    for (const { before, after } of group) book.changed(before, after);
    const ended = new Set<AccountId>();
    for (const change of group) {
      const { before, after } = change;
      if (isOfAccount(change)) {
        emit('account-changed', change);
        if (before !== undefined && (change.after === undefined || hasFewerRights(change.after, before as Account)))
          ended.add(before.accountId);
      } else if (after === undefined && before !== undefined && 'tokenId' in before && endsAccess(before)) ended.add(before.accountId);
    }
    for (const accountId of ended) emit('access-ended', { accountId });
  }
  /** Whether this dropped token was a way in until now: the account is there, and no other token goes on with its session. */
  function endsAccess(token: Token): boolean {
    return book.get(token.accountId) !== undefined && (token.kind === 'api' || book.tokenOfSession(token.sessionId) === undefined);
  }
  function fill(): void {
    follow(book, rows.entries());
    isOpen = true;
  }
  function requireAccount(newest: NewestRows<AccountItem>, accountId: AccountId): Account {
    const account = newest.get(accountKey(accountId)) as Account | undefined;
    if (account === undefined) throw new DomainError('not-found', `there is no account ${accountId}`);
    return account;
  }
  /** Undefined also without its account. */
  function validToken(newest: NewestRows<AccountItem>, tokenId: number): Token | undefined {
    const token = newest.get(tokenKey(tokenId)) as Token | undefined;
    return token && newest.get(accountKey(token.accountId)) && token;
  }
  function forgetLater(): void {
    void forgetting(async () => {
      const orphans = book.orphans();
      for (let from = 0; from < orphans.length; from += forgottenAtOnce)
        await rows.update(() => dropped(orphans.slice(from, from + forgottenAtOnce))).catch(() => undefined);
    });
  }

  return {
    ...view,
    async open() {
      const document = createDocument({ files, path: older, format: olderAccounts });
      if (!(await loadRows({ files, rows, older: { path: older, document, rowsOf: accountRowsOf }, beforeUpgrade }))) return false;
      fill();
      if (book.accounts().length === 0) throw new DamagedDocumentError(`${path} is damaged: it holds no account`);
      return true;
    },
    forgetOrphans: forgetLater,
    async begin(first, itsToken) {
      await rows.create(accountRowsOf({ accounts: [first], tokens: [itsToken] }));
      fill();
    },
    add: (added) =>
      rows.update((newest) => {
        const others = [...book.alike(added.username), ...[...newest.staged.values()].filter(isAccount)];
        const left = others.filter((one) => newest.get(accountKeyOf(one)) === one);
        refuseTakenAmong(left, added.username);
        return [[accountKeyOf(added), added]];
      }),
    async setRights(accountId, { gatewayAdministrator, accessManager }) {
      let after: Account | undefined;
      await rows.update((newest) => {
        after = { ...requireAccount(newest, accountId), gatewayAdministrator, accessManager };
        return [[accountKeyOf(after), after]];
      });
      return after as Account;
    },
    async remove(accountId, removedAt) {
      await rows.update((newest) => {
        const account = requireAccount(newest, accountId);
        const gone = { accountId, username: account.username, removedAt };
        // Several that are removed in one group leave a few more, until the next removal.
        const oldest = book.removed().slice(0, -(removedAtMost - 1));
        return [[accountKeyOf(account), null], [accountKeyOf(gone), gone], ...dropped(oldest)];
      });
      forgetLater();
    },
    forgetRemoved: (until) => rows.update(() => dropped(book.removed().filter((one) => one.removedAt <= until))),
    addToken: (added, replaced) =>
      rows.update((newest) => {
        requireAccount(newest, added.accountId);
        if (replaced !== undefined && validToken(newest, replaced.tokenId) !== replaced)
          throw new DomainError('not-found', `there is no token ${replaced.tokenId}`);
        return [...dropped(replaced === undefined ? [] : [replaced]), [accountKeyOf(added), added]];
      }),
    async removeTokens(tokenIds) {
      let gone: readonly Token[] = [];
      await rows.update((newest) => {
        gone = [...new Set(tokenIds)].flatMap((tokenId) => validToken(newest, tokenId) ?? []);
        return dropped(gone);
      });
      return gone;
    },
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
    follow(book, rows.entries());
    return book;
  }
  const document = createDocument({ files, path: `${directory}/${olderName}`, format: olderAccounts });
  if (!(await document.load())) return undefined;
  follow(book, accountRowsOf(document.current()));
  return book;
}

function follow(book: AccountBook, rows: Iterable<readonly [string, AccountItem]>): void {
  for (const [, row] of rows) book.changed(undefined, row);
}

function isAccount(item: AccountItem | null | undefined): item is Account {
  return item != null && 'gatewayAdministrator' in item;
}
function isOfAccount(change: Change<AccountItem>): change is Change<Account> {
  return isAccount(change.after ?? change.before);
}
function dropped(items: readonly AccountItem[]): readonly RowChange<AccountItem>[] {
  return items.map((one) => [accountKeyOf(one), null]);
}
