// Who hears what, the moment it happens: every event goes to the followers who have a sufficient role on the lock now.
import { type AccountId, type Caller, roleSuffices } from '../accounts/account.ts';
import type { Alarm } from '../alarms/alarm.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { StateCertainty } from '../locks/state-certainty.ts';
import type { Clock, LockLink, LockStore, RecordStore, RemovedLockStore, StatusStore, StoredEvents } from '../ports.ts';
import { type LockRecord, oldestStored } from '../records/record.ts';
import { type AlarmEvent, type LiveEvent, type LockEvent, type LockInSight, roleForAlarms, roleForEvent } from './live-event.ts';

export interface Follower {
  readonly caller: Caller;
  /** Records come in the order of their recordIds. Must not throw. */
  hear(event: LiveEvent): void;
  /** Its account, or a token or sign-in of that, has ended: whether it may go on is to be asked again. Must not throw. */
  accountChanged(): void;
  /** Resolves when what it has heard outlasts a crash, or could not be written; absent: it keeps nothing. Never rejects. */
  kept?(): Promise<void>;
}

/** For those who see something happen. Where nobody follows, they cost next to nothing. */
export interface Announcements {
  lockEvent(event: LockEvent): void;
  alarm(event: AlarmEvent): void;
  stored(events: StoredEvents): void;
  /** A lock came (before is undefined), changed or went. */
  lockChanged(before: Lock | undefined, after: Lock | undefined): void;
  /** An account, or a token or sign-in of it, has ended. */
  accountChanged(accountId: AccountId): void;
  /** Resolves when those who keep what they hear have written down all that was announced. Never rejects. */
  kept(): Promise<void>;
}

export interface LiveService {
  readonly announce: Announcements;
  /** From now on it hears; the returned function ends that. */
  follow(follower: Follower): () => void;
  /** From now on it is called when an account or a token has ended, whoever follows; the returned function ends that. Must not throw. */
  watchAccounts(changed: () => void): () => void;
  /** The locks that the caller sees. */
  locksOf(caller: Caller): readonly LockId[];
  /** The lock as the caller sees it now; undefined when it does not. */
  inSight(caller: Caller, lockId: LockId): LockInSight | undefined;
  /** The alarms that stand, and that the caller may see. */
  alarmsOf(caller: Caller): readonly AlarmEvent[];
  /** Whether the caller may hear this event now. */
  mayHear(caller: Caller, event: Pick<LiveEvent, 'type' | 'lockId'>): boolean;
  /** The newest record; it has been announced. */
  newestRecord(): number;
  /**
   * The records above `recordId` that the caller may see, by recordId, some at a time or none; of all locks, or of those that are wanted.
   * `storage-unavailable`.
   */
  recordsSince(caller: Caller, recordId: number, wants?: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]>;
}

export function createLiveService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  /** Told of each change of a lock before anybody else is. */
  readonly lists: Pick<LockLists, 'of' | 'changed'>;
  readonly removedLocks: Pick<RemovedLockStore, 'get'>;
  readonly statuses: StatusStore;
  readonly link: LockLink;
  readonly records: RecordStore;
  /** Those that stand and that the caller may see. */
  readonly alarms: (caller: Caller) => readonly Alarm[];
  /** Those that stand for a lock. */
  readonly alarmsOn: (lockId: LockId) => readonly Alarm[];
  readonly clockIsSuspect: () => boolean;
  /** For how many days records are kept, 30 to 184. */
  readonly recordDays: number;
  readonly certainty: Pick<StateCertainty, 'isShownAsSure'>;
}): LiveService {
  const { clock, locks, lists, removedLocks, statuses, link, records, alarms, alarmsOn, clockIsSuspect, recordDays, certainty } = options;
  const followers = new Map<AccountId, Set<Follower>>();
  const accountWatchers = new Set<() => void>();

  /** Of a lock that was removed, its administrator is still told what had not been told before: a removal hides nothing. */
  function mayReadRecords(caller: Caller, lockId: LockId): boolean {
    const lock = locks.get(lockId);
    if (lock === undefined) return removedLocks.get(lockId)?.administrator === caller.accountId;
    return roleSuffices(roleOn(lock, caller), roleForEvent.record);
  }

  function mayHear(caller: Caller, event: Pick<LiveEvent, 'type' | 'lockId'>): boolean {
    if (event.type === 'lock-gone') return true;
    if (event.type === 'record' && event.lockId !== null) return mayReadRecords(caller, event.lockId);
    const lock = event.lockId === null ? undefined : locks.get(event.lockId);
    const role = lock && roleOn(lock, caller);
    if (event.type === 'lock') return role !== undefined;
    if (event.type === 'alarm' || event.type === 'alarm-ended') return caller.gatewayAdministrator || roleSuffices(role, roleForAlarms);
    return roleSuffices(role, roleForEvent[event.type]);
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

  function inSight(caller: Caller, lockId: LockId): LockInSight | undefined {
    const lock = locks.get(lockId);
    const role = lock && roleOn(lock, caller);
    if (lock === undefined || role === undefined) return undefined;
    const { state, stateAt, batteryPercent } = statuses.get(lockId);
    const online = link.session(lockId) !== undefined;
    const stateSure = certainty.isShownAsSure(lockId);
    return { type: 'lock', lockId, alias: lock.alias, role, online, state, stateAt, stateSure, batteryPercent };
  }

  function alarmsOf(caller: Caller): readonly AlarmEvent[] {
    return alarms(caller).map(toldOf);
  }

  /** One account's followers, of a lock that has changed. */
  function lockSeen(ofAccount: ReadonlySet<Follower>, caller: Caller, lockId: LockId, before: Lock | undefined, after: Lock | undefined) {
    const [earlier, role] = [before && roleOn(before, caller), after && roleOn(after, caller)];
    if (role === earlier && (role === undefined || before?.alias === after?.alias)) return;
    const sight = inSight(caller, lockId) ?? ({ type: 'lock-gone', lockId } as const);
    const seesAlarmsNow = roleSuffices(role, roleForAlarms) && !roleSuffices(earlier, roleForAlarms) && !caller.gatewayAdministrator;
    const standing = seesAlarmsNow ? alarmsOn(lockId).map(toldOf) : [];
    for (const follower of ofAccount) for (const event of [sight, ...standing]) follower.hear(event);
  }

  const announce: Announcements = {
    lockEvent: (event) => tell(audience(event.lockId, event.type), event),

    alarm(event) {
      for (const ofAccount of followers.values())
        for (const follower of ofAccount) if (mayHear(follower.caller, event)) follower.hear(event);
    },

    stored({ lockId, epoch, drafts, firstRecordId }) {
      const to = audience(lockId, 'record');
      if (to.length === 0) return;
      for (const [n, draft] of drafts.entries())
        tell(to, { type: 'record', lockId, record: { ...draft, recordId: firstRecordId + n, lockId, epoch } });
    },

    lockChanged(before, after) {
      lists.changed(before, after);
      const lockId = (after ?? before)?.lockId;
      if (lockId === undefined) return;
      if (before?.alias === after?.alias && before?.roles === after?.roles && before?.administrator === after?.administrator) return;
      for (const ofAccount of followers.values()) {
        const [any] = ofAccount;
        if (any !== undefined) lockSeen(ofAccount, any.caller, lockId, before, after);
      }
    },

    accountChanged(accountId) {
      for (const follower of followers.get(accountId) ?? []) follower.accountChanged();
      for (const changed of accountWatchers) changed();
    },

    async kept() {
      const all = [...followers.values()].flatMap((ofAccount) => [...ofAccount]);
      await Promise.all(all.map((follower) => follower.kept?.()));
    },
  };

  return {
    announce,
    follow(follower) {
      const { accountId } = follower.caller;
      const ofAccount = followers.get(accountId) ?? new Set();
      followers.set(accountId, ofAccount.add(follower));
      return () => {
        ofAccount.delete(follower);
        if (ofAccount.size === 0 && followers.get(accountId) === ofAccount) followers.delete(accountId);
      };
    },
    watchAccounts(changed) {
      accountWatchers.add(changed);
      return () => void accountWatchers.delete(changed);
    },
    locksOf: ({ accountId }) => lists.of(accountId),
    inSight,
    alarmsOf,
    mayHear,
    newestRecord: records.newest,
    async *recordsSince(caller, recordId, wants = () => true) {
      const mayRead = (lockId: LockId): boolean => mayReadRecords(caller, lockId);
      for await (const some of records.since(recordId, (lockId) => wants(lockId) && mayRead(lockId))) {
        const oldest = oldestStored(clock.now(), clockIsSuspect(), recordDays);
        // Asked again: a right may have gone while the disk was read.
        yield some.filter((record) => record.lockDate >= oldest && mayRead(record.lockId));
      }
    },
  };
}

function toldOf(alarm: Alarm): AlarmEvent {
  return { type: 'alarm', lockId: alarm.lockId, alarm };
}
