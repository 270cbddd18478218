// Compares what is stored with what the access log says, and finds the lines that are missing: those that a power cut prevented, and those
// of the time before there was a log.
import type { AccountId } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { CardId } from '../credentials/card.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockEntries } from '../credentials/lock-entries.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { accountDraft, draftsOf, type EntryNames, type FactSpan, lockDraft, roleDraft, rolesOn } from './access-drafts.ts';
import { type AccessDraft, type AccessLine, type AccessLog, removedLock, topicOf } from './access-log.ts';

export interface MissingLines {
  /** About the roles and accounts; looks at all of them. */
  ofRoles(lockIds: readonly LockId[]): AccessDraft[];
  ofAccounts(): AccessDraft[];
  /** About the entries of a lock, and about a lock that was removed. Rejects with `storage-unavailable`. */
  ofLock(lockId: LockId): Promise<AccessDraft[]>;
}

export function createMissingLines(options: {
  readonly clock: { now(): number };
  readonly log: AccessLog;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly accounts: Pick<AccountStore, 'page' | 'get'>;
  readonly names: EntryNames;
}): MissingLines {
  const { clock, log, locks, entries, accounts, names } = options;
  const unsaid = (drafts: readonly AccessDraft[]): AccessDraft[] => drafts.filter((draft) => !log.says(draft));
  const sinceLastLine = (): FactSpan => ({ notBefore: Math.min(log.newestAt(), clock.now()), notAfter: clock.now() });

  /** What has a line that says it is so, and is not there any more. */
  function ended(lockId: LockId, present: ReadonlySet<string>, last: ReadonlyMap<string, AccessLine>): AccessDraft[] {
    return [...log.topicsOf(lockId)].flatMap((topic) => {
      const line = last.get(topic);
      if (line === undefined || present.has(topic)) return [];
      const { id: _, recordedAt: notBefore, ...said } = line;
      const draft = { ...said, notBefore, notAfter: clock.now(), basis: null, commandId: null, detail: '' };
      switch (line.what) {
        case 'held':
        case 'unsure':
          return [{ ...draft, what: 'gone' as const }];
        case 'wanted':
          return [{ ...draft, what: 'unwanted' as const }];
        case 'role':
          return [draft];
        default:
          return [lockDraft(lockId, line.what === 'clock' ? 'clock' : 'offline', removedLock, draft)];
      }
    });
  }
  function ofEntries(stored: readonly Entry[], last: ReadonlyMap<string, AccessLine>): AccessDraft[] {
    return stored.flatMap((entry) => {
      const found = draftsOf(entry, sinceLastLine(), names);
      return unsaid(found).map((draft) => {
        const before = last.get(topicOf(draft));
        if (before !== undefined) return { ...draft, notBefore: before.recordedAt };
        const since = entry.held?.since ?? entry.createdAt;
        return { ...draft, notBefore: since, notAfter: since };
      });
    });
  }
  function missingOf(lockId: LockId, { entries: stored }: LockEntries, last: ReadonlyMap<string, AccessLine>): AccessDraft[] {
    const lock = locks.get(lockId);
    if (lock === undefined) return ended(lockId, new Set(), last);
    const present = new Set(['presence', 'clock']);
    for (const { entryId } of stored) present.add(`held ${entryId}`).add(`wanted ${entryId}`);
    for (const accountId of rolesOn(lock).keys()) present.add(`role ${accountId}`);
    return [...ofEntries(stored, last), ...ended(lockId, present, last)];
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
    async ofLock(lockId) {
      const stored = await entries.of(lockId);
      // The usual case costs no look-up.
      if (missingOf(lockId, stored, noLines).length === 0 && isComplete(lockId, stored)) return [];
      const lines = await log.ofLock(lockId, Number.MAX_SAFE_INTEGER);
      return missingOf(lockId, await entries.of(lockId), new Map(lines.map((line) => [topicOf(line), line])));
    },
  };

  /** Whether everything that the log says to be so is there. */
  function isComplete(lockId: LockId, stored: LockEntries): boolean {
    const lock = locks.get(lockId);
    const roles = lock && rolesOn(lock);
    for (const topic of log.topicsOf(lockId)) {
      const [what, id] = topic.split(' ');
      if (lock === undefined) return false;
      if (what === 'role' && roles?.has(Number(id) as AccountId) !== true) return false;
      if ((what === 'held' || what === 'wanted') && stored.byId(Number(id) as CardId) === undefined) return false;
    }
    return true;
  }
}

const noLines: ReadonlyMap<string, AccessLine> = new Map();
