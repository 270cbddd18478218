// Compares what is stored with what the access log says, and finds the lines that are missing: those that a power cut prevented, and those
// of the time before there was a log.
import type { AccountStore } from '../accounts/account-ports.ts';
import type { CardId } from '../credentials/card.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockEntries } from '../credentials/lock-entries.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { NextTurn } from '../people/in-slices.ts';
import { accountDraft, draftsOf, type EntryNames, type FactSpan, lockDraft, roleDraft, rolesOn } from './access-drafts.ts';
import { type AccessDraft, type AccessLine, type AccessLog, removedLock, topicOf } from './access-log.ts';

export interface MissingLines {
  /** About the roles and accounts; looks at all of them. */
  ofRoles(lockIds: readonly LockId[]): AccessDraft[];
  ofAccounts(): AccessDraft[];
  /**
   * About the entries of a lock, and about a lock that was removed. Hands them to `append`, some at a time, in the very turn in which it saw
   * that they are missing: what becomes otherwise afterwards has its line behind them. Rejects with `storage-unavailable`, and as `append`.
   */
  ofLock(lockId: LockId, append: AccessLog['append']): Promise<void>;
}

type LastLines = ReadonlyMap<string, AccessLine>;

const noLines: LastLines = new Map();
/** Entries and topics that are looked at in one turn. */
const someAtOnce = 100;

export function createMissingLines(options: {
  readonly clock: { now(): number };
  readonly log: AccessLog;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly accounts: Pick<AccountStore, 'page' | 'get'>;
  readonly names: EntryNames;
  readonly nextTurn: NextTurn;
}): MissingLines {
  const { clock, log, locks, entries, accounts, names, nextTurn } = options;
  const unsaid = (drafts: readonly AccessDraft[]): AccessDraft[] => drafts.filter((draft) => !log.says(draft));
  const sinceLastLine = (): FactSpan => ({ notBefore: Math.min(log.newestAt(), clock.now()), notAfter: clock.now() });

  function isThere(topic: string, lock: Lock | undefined, there: LockEntries): boolean {
    if (lock === undefined) return false;
    const [what, id] = topic.split(' ');
    if (what === 'role') return lock.administrator === Number(id) || lock.roles.some(({ accountId }) => accountId === Number(id));
    return (what !== 'held' && what !== 'wanted') || there.byId(Number(id) as CardId) !== undefined;
  }
  /** What this line says is not so any more. */
  function ended(line: AccessLine, lockId: LockId): AccessDraft {
    const { id: _, recordedAt: notBefore, ...said } = line;
    const draft = { ...said, notBefore, notAfter: clock.now(), basis: null, commandId: null, detail: '' };
    switch (line.what) {
      case 'held':
      case 'unsure':
        return { ...draft, what: 'gone' };
      case 'wanted':
        return { ...draft, what: 'unwanted' };
      case 'role':
        return draft;
      default:
        return lockDraft(lockId, line.what === 'clock' ? 'clock' : 'offline', removedLock, draft);
    }
  }
  function ofEntry(entry: Entry, last: LastLines): AccessDraft[] {
    return unsaid(draftsOf(entry, sinceLastLine(), names)).map((draft) => {
      const before = last.get(topicOf(draft));
      if (before !== undefined) return { ...draft, notBefore: before.recordedAt };
      const since = entry.held?.since ?? entry.createdAt;
      return { ...draft, notBefore: since, notAfter: since };
    });
  }
  /** Of entries, and of what the log says to be so; `last`: the last line of each topic. */
  function missingOf(some: readonly (CardId | string)[], lockId: LockId, there: LockEntries, last: LastLines): AccessDraft[] {
    const lock = locks.get(lockId);
    return some.flatMap((one) => {
      if (typeof one === 'number') {
        const entry = there.byId(one);
        return entry === undefined ? [] : ofEntry(entry, last);
      }
      const line = last.get(one);
      return line === undefined || isThere(one, lock, there) ? [] : unsaid([ended(line, lockId)]);
    });
  }
  /** Whether nothing is missing. It needs no look-up. */
  function isComplete(some: readonly (CardId | string)[], lockId: LockId, there: LockEntries): boolean {
    const lock = locks.get(lockId);
    return some.every((one) =>
      typeof one === 'number' ? missingOf([one], lockId, there, noLines).length === 0 : isThere(one, lock, there),
    );
  }

  return {
    ofRoles: (lockIds) =>
      lockIds.flatMap((lockId) => {
        const lock = locks.get(lockId);
        if (lock === undefined) return [];
        const roles = [...rolesOn(lock)].flatMap(([accountId, role]) => {
          const account = accounts.get(accountId);
          return account === undefined ? [] : [roleDraft(lockId, account, role, sinceLastLine())];
        });
        return unsaid(roles);
      }),
    ofAccounts: () =>
      unsaid(
        accounts.page({ pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list.map((account) => accountDraft(account, true, sinceLastLine())),
      ),
    async ofLock(lockId, append) {
      const entryIds = (await entries.of(lockId)).entries.map(({ entryId }) => entryId);
      const all = [...entryIds, ...log.topicsOf(lockId)];
      let last: LastLines | undefined;
      for (let from = 0; from < all.length; from += someAtOnce) {
        const some = all.slice(from, from + someAtOnce);
        await nextTurn();
        if (isComplete(some, lockId, await entries.of(lockId))) continue;
        last ??= new Map((await log.ofLock(lockId, Number.MAX_SAFE_INTEGER)).map((line) => [topicOf(line), line]));
        await append(missingOf(some, lockId, await entries.of(lockId), last));
      }
    },
  };
}
