// Writes the access log: follows what the stores emit, and finds at a start what has no line yet.
import type { Account } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { Clock } from '../clock.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { DomainEvents } from '../domain-events.ts';
import type { EventBus } from '../event-bus.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import type { Part } from '../part.ts';
import type { NextTurn } from '../people/in-slices.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId } from '../people/person.ts';
import {
  accountDraft,
  draftsOf,
  type EntryNames,
  type FactSpan,
  goneDraftsOf,
  isSameHeld,
  lockDraft,
  roleDraft,
  rolesOn,
  spanOf,
} from './access-drafts.ts';
import { type AccessDraft, type AccessLog, sayingOf } from './access-log.ts';
import { createMissingLines } from './missing-lines.ts';
import { createPresenceLines } from './presence-lines.ts';

export interface AccessRecorder extends Part {
  /** Resolves when every change so far has its line on the disk. Never rejects: a line for which there is no room is written later. */
  stored(): Promise<void>;
  /**
   * Resolves when every change so far has its line, and what the lock holds, too, also what a power cut had prevented. Rejects with
   * `storage-unavailable`.
   */
  caughtUp(lockId: LockId): Promise<void>;
  /** The same for all locks; after a start that followed no clean stop this takes a while. */
  allCaughtUp(): Promise<void>;
}

export function createAccessRecorder(options: {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly log: AccessLog;
  readonly locks: Pick<LockStore, 'get' | 'all'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly accounts: Pick<AccountStore, 'page' | 'get'>;
  readonly people: Pick<LocalPeopleView, 'byCredential'>;
  readonly nextTurn: NextTurn;
}): AccessRecorder {
  const { clock, events, log, locks, accounts, people } = options;
  const names: EntryNames = { personOf: (credentialId) => people.byCredential(credentialId as CredentialId) };
  const missing = createMissingLines({ ...options, names });
  const presence = createPresenceLines({ clock, events, log, append });
  /**
   * Locks whose lines are compared with what is stored when somebody needs them, or one after the other behind a start. Each has the number of
   * its newest reason: another one may come while the lock is compared.
   */
  const unchecked = new Map<LockId, number>();
  let reasons = 0;
  const oneByOne = createMutex();
  let checking: Promise<void> = Promise.resolve();
  let isRunning = false;
  /** Lines of the gateway itself could not be written. */
  let hasGaps = false;

  const now = () => ({ notBefore: clock.now(), notAfter: clock.now() });

  function checkLater(lockId: LockId): void {
    reasons += 1;
    unchecked.set(lockId, reasons);
  }
  function append(drafts: readonly AccessDraft[]): void {
    if (drafts.length === 0) return;
    log.append(drafts).catch(() => {
      for (const { lockId } of drafts) {
        if (lockId === null) hasGaps = true;
        else checkLater(lockId);
      }
    });
  }
  function entryChanged({ before, after, proof }: DomainEvents['entry-changed']): void {
    const entry = after ?? before;
    if (entry === undefined) return;
    const handover = handoverOf(before, after);
    const draftsAfter = after === undefined ? goneDraftsOf : draftsOf;
    const drafts = draftsAfter(entry, handover ?? spanOf(before, after, clock.now()), names, handover ?? now(), proof);
    const changed = unchecked.has(entry.lockId) && before !== undefined ? changedBetween(before, drafts) : drafts;
    append(changed.filter((draft) => !log.says(draft)));
  }
  /** Without what was so before and has no line yet: it is not so since now. The comparison of the lock finds it, and dates it. */
  function changedBetween(before: Entry, drafts: readonly AccessDraft[]): readonly AccessDraft[] {
    const [held, wanted] = draftsOf(before, now(), names).map(sayingOf);
    return drafts.filter((draft) => sayingOf(draft) !== held && sayingOf(draft) !== wanted);
  }
  /** What the lock holds, or may hold, is another person's: it is theirs since they have it, however late the gateway looks at the lock. */
  function handoverOf(before: Entry | undefined, after: Entry | undefined): FactSpan | undefined {
    const credentialId = after?.credentialId ?? null;
    if (credentialId === null || (before?.credentialId ?? credentialId) === credentialId) return undefined;
    if (!isSameHeld(before?.held ?? null, after?.held ?? null)) return undefined;
    const since = people
      .byCredential(credentialId as CredentialId)
      ?.credentials.find((one) => one.credentialId === credentialId)?.createdAt;
    return since === undefined ? undefined : { notBefore: since, notAfter: since };
  }
  function lockChanged(before: Lock | undefined, after: Lock | undefined): void {
    if (before !== undefined && after === undefined) {
      presence.forget(before.lockId);
      checkLater(before.lockId);
      void compare(before.lockId).catch(() => undefined);
      return;
    }
    if (after === undefined || (before?.roles === after.roles && before.administrator === after.administrator)) return;
    const [had, has] = [before ? rolesOn(before) : new Map(), rolesOn(after)];
    const changed = [...new Set([...had.keys(), ...has.keys()])].filter((accountId) => had.get(accountId) !== has.get(accountId));
    append(
      changed.map((accountId) => {
        const account = accounts.get(accountId) ?? { accountId, username: '' };
        return roleDraft(after.lockId, account, has.get(accountId) ?? '', now());
      }),
    );
  }
  function accountChanged(before: Account | undefined, after: Account | undefined): void {
    const account = after ?? before;
    if (account === undefined) return;
    const draft = accountDraft(account, after !== undefined, now());
    if (!log.says(draft)) append([draft]);
  }
  async function check(lockId: LockId): Promise<void> {
    for (let reason = unchecked.get(lockId); reason !== undefined; reason = unchecked.get(lockId)) {
      await missing.ofLock(lockId, log.append);
      if (unchecked.get(lockId) === reason) unchecked.delete(lockId);
    }
  }
  function compare(lockId: LockId): Promise<void> {
    return unchecked.has(lockId) ? oneByOne(() => check(lockId)) : Promise.resolve();
  }
  async function checkAll(): Promise<void> {
    for (const lockId of [...unchecked.keys()]) {
      if (!isRunning) return;
      await compare(lockId).catch(() => undefined);
    }
  }
  const stored = (): Promise<void> => log.stored().catch(() => undefined);
  function goOn(): void {
    if (hasGaps) {
      hasGaps = false;
      append(missing.ofAccounts());
    }
    if (unchecked.size > 0) checking = checking.then(checkAll);
  }

  events.subscribe('entry-changed', entryChanged);
  events.subscribe('lock-changed', ({ before, after }) => lockChanged(before, after));
  events.subscribe('account-changed', ({ before, after }) => accountChanged(before, after));
  events.subscribe('storage-works', goOn);

  return {
    name: 'access-log',
    async start() {
      isRunning = true;
      const wasClean = log.says(lockDraft(null, 'offline', '', now()));
      const lockIds = locks.all().map(({ lockId }) => lockId);
      if (!wasClean) {
        for (const lockId of lockIds) checkLater(lockId);
        if (log.newestAt() > 0)
          append([lockDraft(null, 'offline', '', { notBefore: Math.min(log.newestAt(), clock.now()), notAfter: clock.now() })]);
      }
      append([...missing.ofAccounts(), ...missing.ofRoles(lockIds), lockDraft(null, 'online', '', now())]);
      // Doors do not wait for it.
      goOn();
    },
    async stop() {
      if (!isRunning) return;
      isRunning = false;
      presence.stop();
      await checking;
      if (unchecked.size === 0) append([lockDraft(null, 'offline', '', now())]);
      await stored();
    },
    stored,
    async caughtUp(lockId) {
      await compare(lockId);
      await stored();
    },
    async allCaughtUp() {
      goOn();
      await checking;
      await stored();
    },
  };
}
