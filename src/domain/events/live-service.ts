// Sends every event at once to the subscribers that have a sufficient role on the lock at that moment.
import { type AccountId, type Caller, roleSuffices } from '../accounts/account.ts';
import type { Alarm } from '../alarms/alarm.ts';
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus.ts';
import { autoLockAt } from '../locks/auto-lock.ts';
import type { Drivers } from '../locks/driver.ts';
import { type Lock, type LockId, type LockStatus, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore, RemovedLockStore, StatusStore } from '../locks/lock-ports.ts';
import type { StateCertainty } from '../locks/state-certainty.ts';
import { type LockRecord, oldestStored } from '../records/record.ts';
import type { RecordStore, StoredEvents } from '../records/record-ports.ts';
import { createEventRights } from './event-rights.ts';
import {
  type AlarmEvent,
  type LiveEvent,
  type LockInSight,
  type LockLiveEvent,
  type RevocationEvent,
  roleForAlarms,
  roleForEvent,
} from './live-event.ts';

export interface Subscriber {
  readonly caller: Caller;
  /** Records come in the order of their recordIds. Must not throw. */
  onEvent(event: LiveEvent): void;
  /** The subscriber's account, or a token or sign-in of it, has ended: the subscriber must check whether it may go on. Must not throw. */
  accountChanged(): void;
}

export interface LiveService {
  /** Subscribes from now on; the returned function ends the subscription. */
  subscribe(subscriber: Subscriber): () => void;
  /** The locks on which the caller has a role. */
  locksOf(caller: Caller): readonly LockId[];
  /** The lock as the caller sees it now; undefined when it does not. */
  inSight(caller: Caller, lockId: LockId): LockInSight | undefined;
  /** The active alarms that the caller may see. */
  alarmsOf(caller: Caller): readonly AlarmEvent[];
  /** Whether the caller may get this event now. */
  mayHear(caller: Caller, event: Pick<LiveEvent, 'type' | 'lockId'>): boolean;
  /** Whether anybody who listens may hear this type of event of the lock. */
  isHeard(lockId: LockId, type: LockLiveEvent['type']): boolean;
  /** The newest record that subscribers have got. */
  newestRecord(): number;
  /**
   * The records above `recordId` that the caller may see, by recordId, in chunks that may be empty; of all locks, or of those for which
   * `wants` holds. Rejects with `storage-unavailable`.
   */
  recordsSince(caller: Caller, recordId: number, wants?: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]>;
}

export function createLiveService(options: {
  readonly clock: Clock;
  /** Without subscribers an event costs almost nothing here. */
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly locks: LockStore;
  /** It must get each change of a lock before this service. */
  readonly lists: Pick<LockLists, 'of'>;
  readonly removedLocks: Pick<RemovedLockStore, 'get'>;
  readonly statuses: StatusStore;
  readonly link: Pick<Drivers, 'session' | 'capabilities'>;
  readonly records: RecordStore;
  readonly alarms: Pick<AlarmService, 'list' | 'ofLock'>;
  readonly clockIsSuspect: () => boolean;
  /** How many days records are stored, 30 to 184. */
  readonly recordDays: number;
  readonly certainty: Pick<StateCertainty, 'isShownAsSure'>;
}): LiveService {
  const { clock, events, locks, lists, removedLocks, statuses, link, records, alarms, clockIsSuspect, recordDays, certainty } = options;
  const { mayReadRecords, mayHear } = createEventRights({ locks, removedLocks });
  const subscribers = new Map<AccountId, Set<Subscriber>>();
  /** Locks that are reported online: one event is enough for several hellos. */
  const online = new Set<LockId>();

  /**
   * The subscribers to this type of event of a lock. The cost depends on the number of roles on the lock, not on the number of subscribers.
   */
  function subscribersTo(lockId: LockId, type: LockLiveEvent['type']): readonly ReadonlySet<Subscriber>[] {
    const lock = subscribers.size === 0 ? undefined : locks.get(lockId);
    if (lock === undefined) return [];
    const needed = roleForEvent[type];
    const accounts = lock.roles.filter(({ role }) => roleSuffices(role, needed)).map(({ accountId }) => accountId);
    return [lock.administrator, ...accounts].flatMap((accountId) => subscribers.get(accountId) ?? []);
  }

  function send(to: readonly ReadonlySet<Subscriber>[], event: LockLiveEvent): void {
    for (const ofAccount of to) for (const subscriber of ofAccount) subscriber.onEvent(event);
  }
  function lockEvent(event: LockLiveEvent): void {
    send(subscribersTo(event.lockId, event.type), event);
  }
  function gatewayEvent(event: AlarmEvent | RevocationEvent): void {
    for (const ofAccount of subscribers.values())
      for (const subscriber of ofAccount) if (mayHear(subscriber.caller, event)) subscriber.onEvent(event);
  }

  function inSight(caller: Caller, lockId: LockId): LockInSight | undefined {
    const lock = locks.get(lockId);
    const role = lock && roleOn(lock, caller);
    if (lock === undefined || role === undefined) return undefined;
    const { state, stateAt, batteryPercent } = statuses.get(lockId);
    const online = link.session(lockId) !== undefined;
    const stateSure = certainty.isShownAsSure(lockId);
    const capabilities = link.capabilities(lock);
    return {
      type: 'lock',
      ...{ lockId, alias: lock.alias, role, online, state, stateAt, stateSure, batteryPercent, capabilities },
      autoLockAt: autoLockAt(lock, { state, stateAt }),
    };
  }

  function alarmsOf(caller: Caller): readonly AlarmEvent[] {
    return alarms.list(caller, { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list.map(alarmEventOf);
  }

  /** Tells the subscribers of one account about a changed lock. */
  function lockSeen(ofAccount: ReadonlySet<Subscriber>, caller: Caller, lockId: LockId, before: Lock | undefined, after: Lock | undefined) {
    const [earlier, role] = [before && roleOn(before, caller), after && roleOn(after, caller)];
    if (role === earlier && (role === undefined || before?.alias === after?.alias)) return;
    const sight = inSight(caller, lockId) ?? ({ type: 'lock-gone', lockId } as const);
    const seesAlarmsNow = roleSuffices(role, roleForAlarms) && !roleSuffices(earlier, roleForAlarms) && !caller.gatewayAdministrator;
    const active = seesAlarmsNow ? alarms.ofLock(lockId).map(alarmEventOf) : [];
    for (const subscriber of ofAccount) for (const event of [sight, ...active]) subscriber.onEvent(event);
  }

  function stored({ lockId, epoch, drafts, firstRecordId }: StoredEvents): void {
    const to = subscribersTo(lockId, 'record');
    if (to.length === 0) return;
    for (const [n, draft] of drafts.entries())
      send(to, { type: 'record', lockId, record: { ...draft, recordId: firstRecordId + n, lockId, epoch } });
  }

  function lockChanged(before: Lock | undefined, after: Lock | undefined): void {
    const lockId = (after ?? before)?.lockId;
    if (lockId === undefined) return;
    if (before?.alias === after?.alias && before?.roles === after?.roles && before?.administrator === after?.administrator) return;
    for (const ofAccount of subscribers.values()) {
      const [any] = ofAccount;
      if (any !== undefined) lockSeen(ofAccount, any.caller, lockId, before, after);
    }
  }

  /** Everybody with a role on the lock sees what it can do. */
  function capabilitiesChanged(lockId: LockId): void {
    for (const ofAccount of subscribersTo(lockId, 'state')) {
      for (const subscriber of ofAccount) {
        const sight = inSight(subscriber.caller, lockId);
        if (sight !== undefined) subscriber.onEvent(sight);
      }
    }
  }

  /** Emits a state or a battery level if it differs from the one before. */
  function statusChanged(lockId: LockId, before: LockStatus, { state, stateAt, batteryPercent }: LockStatus): void {
    const lock = locks.get(lockId);
    if (lock !== undefined && state !== before.state && state !== null && stateAt !== null)
      lockEvent({ type: 'state', lockId, state, stateAt, autoLockAt: autoLockAt(lock, { state, stateAt }) });
    if (batteryPercent !== before.batteryPercent && batteryPercent !== null) lockEvent({ type: 'battery', lockId, batteryPercent });
  }

  function becameOnline(lockId: LockId): void {
    if (online.has(lockId)) return;
    online.add(lockId);
    lockEvent({ type: 'online', lockId, online: true });
  }

  events.subscribe('lock-changed', ({ before, after }) => lockChanged(before, after));
  events.subscribe('status-changed', ({ lockId, before, after }) => statusChanged(lockId, before, after));
  events.subscribe('card-changed', (change) => lockEvent({ type: 'card', ...change }));
  events.subscribe('certainty-changed', (change) => lockEvent({ type: 'state-sure', ...change }));
  events.subscribe('capabilities-changed', ({ lockId }) => capabilitiesChanged(lockId));
  events.subscribe('lock-online', ({ lockId }) => becameOnline(lockId));
  events.subscribe('lock-offline', ({ lockId }) => online.delete(lockId) && lockEvent({ type: 'online', lockId, online: false }));
  events.subscribe('records-stored', stored);
  events.subscribe('alarm-began', ({ alarm: kind, lockId, since, reason }) =>
    gatewayEvent({ type: 'alarm', lockId, alarm: { kind, lockId, since, reason } }),
  );
  events.subscribe('alarm-ended', ({ alarm: kind, lockId, since }) => gatewayEvent({ type: 'alarm-ended', lockId, kind, since }));
  events.subscribe('revocation-reported', (report) => gatewayEvent({ type: 'revocation', lockId: null, report }));
  events.subscribe('entry-reported', (report) => lockEvent({ type: 'entry', ...report }));
  events.subscribe('suggestion-made', (suggestion) => lockEvent({ type: 'suggestion', lockId: suggestion.lockId, suggestion }));
  events.subscribe('access-ended', ({ accountId }) => {
    for (const subscriber of subscribers.get(accountId) ?? []) subscriber.accountChanged();
  });

  return {
    subscribe(subscriber) {
      const { accountId } = subscriber.caller;
      const ofAccount = subscribers.get(accountId) ?? new Set();
      subscribers.set(accountId, ofAccount.add(subscriber));
      return () => {
        ofAccount.delete(subscriber);
        if (ofAccount.size === 0 && subscribers.get(accountId) === ofAccount) subscribers.delete(accountId);
      };
    },
    locksOf: ({ accountId }) => lists.of(accountId),
    inSight,
    alarmsOf,
    mayHear,
    isHeard: (lockId, type) => subscribersTo(lockId, type).length > 0,
    newestRecord: records.newest,
    async *recordsSince(caller, recordId, wants = () => true) {
      const mayRead = (lockId: LockId): boolean => mayReadRecords(caller, lockId);
      for await (const some of records.since(recordId, (lockId) => wants(lockId) && mayRead(lockId))) {
        const oldest = oldestStored(clock.now(), clockIsSuspect(), recordDays);
        // Check again: the caller may have lost a role while the disk was read.
        yield some.filter((record) => record.lockDate >= oldest && mayRead(record.lockId));
      }
    },
  };
}

function alarmEventOf(alarm: Alarm): AlarmEvent {
  return { type: 'alarm', lockId: alarm.lockId, alarm };
}
