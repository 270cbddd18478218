// Who hears what, the moment it happens: every event goes to the followers whose account has a sufficient role on the lock now.
import type { AccountId, LockRole } from './account.ts';
import { roleSuffices } from './account.ts';
import { type LiveEvent, type LockEvent, type LockInSight, roleForEvent } from './live-event.ts';
import { type Lock, type LockId, roleOn } from './lock.ts';
import type { Clock, LockLink, LockStore, RecordStore, StatusStore, StoredEvents } from './ports.ts';
import { type LockRecord, oldestKept } from './record.ts';

export interface Follower {
  readonly accountId: AccountId;
  /** Records come in the order of their recordIds. Must not throw. */
  hear(event: LiveEvent): void;
  /** Accounts or tokens have changed: whether it may go on is to be asked again. Must not throw. */
  accountsChanged(): void;
}

/** For those who see something happen. Where nobody follows, they cost next to nothing. */
export interface Announcements {
  lockEvent(event: LockEvent): void;
  stored(events: StoredEvents): void;
  /** A lock came (before is undefined), changed or went. */
  lockChanged(before: Lock | undefined, after: Lock | undefined): void;
  accountsChanged(): void;
}

export interface LiveService {
  readonly announce: Announcements;
  /** From now on it hears; the returned function ends that. */
  follow(follower: Follower): () => void;
  /** The locks that the account sees. */
  locksOf(accountId: AccountId): readonly LockId[];
  /** The lock as the account sees it now; undefined when it does not. */
  inSight(accountId: AccountId, lockId: LockId): LockInSight | undefined;
  /** Whether its account may hear this event now. */
  mayHear(accountId: AccountId, event: LiveEvent): boolean;
  /** The newest record; it has been announced. */
  newestRecord(): number;
  /** The records above `recordId` that the account may see, by recordId, some at a time or none. `storage-unavailable`. */
  recordsSince(accountId: AccountId, recordId: number): AsyncIterable<readonly LockRecord[]>;
}

export function createLiveService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly statuses: StatusStore;
  readonly link: LockLink;
  readonly records: RecordStore;
  readonly clockIsSuspect: () => boolean;
}): LiveService {
  const { clock, locks, statuses, link, records, clockIsSuspect } = options;
  const followers = new Map<AccountId, Set<Follower>>();

  function mayHear(accountId: AccountId, event: LiveEvent): boolean {
    if (event.type === 'lock-gone') return true;
    const lock = locks.get(event.lockId);
    const needed: LockRole = event.type === 'lock' ? 'operator' : roleForEvent[event.type];
    return lock !== undefined && roleSuffices(roleOn(lock, { accountId }), needed);
  }

  /** Those who hear this kind of event of a lock: as many as have a role on it are looked for, not as many as follow. */
  function audience(lockId: LockId, type: LockEvent['type']): readonly ReadonlySet<Follower>[] {
    const lock = followers.size === 0 ? undefined : locks.get(lockId);
    if (lock === undefined) return [];
    const needed = roleForEvent[type];
    const accounts = lock.roles.filter(({ role }) => roleSuffices(role, needed)).map(({ accountId }) => accountId);
    return [lock.administrator, ...accounts].flatMap((accountId) => followers.get(accountId) ?? []);
  }

  function tell(to: readonly ReadonlySet<Follower>[], event: LockEvent): void {
    for (const ofAccount of to) for (const follower of ofAccount) follower.hear(event);
  }

  function inSight(accountId: AccountId, lockId: LockId): LockInSight | undefined {
    const lock = locks.get(lockId);
    const role = lock && roleOn(lock, { accountId });
    if (lock === undefined || role === undefined) return undefined;
    const { state, stateAt, batteryPercent } = statuses.get(lockId);
    return { type: 'lock', lockId, alias: lock.alias, role, online: link.session(lockId) !== undefined, state, stateAt, batteryPercent };
  }

  const announce: Announcements = {
    lockEvent: (event) => tell(audience(event.lockId, event.type), event),

    stored({ lockId, epoch, drafts, firstRecordId }) {
      const to = audience(lockId, 'record');
      if (to.length > 0)
        for (const [n, draft] of drafts.entries())
          tell(to, { type: 'record', lockId, record: { ...draft, recordId: firstRecordId + n, lockId, epoch } });
    },

    lockChanged(before, after) {
      const lockId = (after ?? before)?.lockId;
      if (lockId === undefined) return;
      if (before?.alias === after?.alias && before?.roles === after?.roles && before?.administrator === after?.administrator) return;
      for (const [accountId, ofAccount] of followers) {
        const earlier = before && roleOn(before, { accountId });
        const role = after && roleOn(after, { accountId });
        if (earlier === undefined && role === undefined) continue;
        if (role === earlier && before?.alias === after?.alias) continue;
        const event = inSight(accountId, lockId) ?? ({ type: 'lock-gone', lockId } as const);
        for (const follower of ofAccount) follower.hear(event);
      }
    },

    accountsChanged() {
      for (const ofAccount of followers.values()) for (const follower of ofAccount) follower.accountsChanged();
    },
  };

  return {
    announce,
    follow(follower) {
      const { accountId } = follower;
      const ofAccount = followers.get(accountId) ?? new Set();
      followers.set(accountId, ofAccount.add(follower));
      return () => {
        ofAccount.delete(follower);
        if (ofAccount.size === 0 && followers.get(accountId) === ofAccount) followers.delete(accountId);
      };
    },
    locksOf: (accountId) =>
      locks
        .all()
        .filter((lock) => roleOn(lock, { accountId }) !== undefined)
        .map(({ lockId }) => lockId),
    inSight,
    mayHear,
    newestRecord: records.newest,
    async *recordsSince(accountId, recordId) {
      const mayRead = (lockId: LockId): boolean => {
        const lock = locks.get(lockId);
        return lock !== undefined && roleSuffices(roleOn(lock, { accountId }), roleForEvent.record);
      };
      for await (const some of records.since(recordId, mayRead)) {
        const oldest = oldestKept(clock.now(), clockIsSuspect());
        // Asked again: a right may have gone while the disk was read.
        yield some.filter((record) => record.lockDate >= oldest && mayRead(record.lockId));
      }
    },
  };
}
