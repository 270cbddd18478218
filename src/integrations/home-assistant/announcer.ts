// Tells Home Assistant what the account of the gateway may see: each lock once as a device, then what it says, each time that it says something else.
// What is to be said is asked of the domain in the moment of saying it, so nothing old is ever sent, and what waits is at most a mark for each lock.
import type { AccountId, LockRole } from '../../domain/accounts/account.ts';
import type { AccountStore } from '../../domain/accounts/account-ports.ts';
import type { LastRecords } from '../../domain/board/last-records.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EventBus } from '../../domain/event-bus.ts';
import { type Lock, type LockId, type OpenState, roleOn } from '../../domain/locks/lock.ts';
import { wantedBy } from '../../domain/locks/lock-command.ts';
import type { LockLists } from '../../domain/locks/lock-lists.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import { createBreaks, type NextTurn } from '../../domain/people/in-slices.ts';
import type { DoorStates } from '../../domain/records/door-states.ts';
import type { StoredEvents } from '../../domain/records/record-ports.ts';
import { createHomeMessages, type HomeMessagesOptions, type LockStateKind, lockStateKinds } from './announcer-messages.ts';
import type { HomeBroker } from './broker-port.ts';
import type { LockToAnnounce } from './discovery.ts';
import type { HomeRefusal } from './events.ts';

/** A lock that Home Assistant sees. */
export interface LockAnnouncement {
  /** Of the account for which latchd speaks. */
  readonly role: LockRole;
}

export interface HomeAnnouncer {
  /** The broker is there: says everything, the configs first and that the gateway is `online` last. A later call cuts an earlier one short. */
  connected(): Promise<void>;
  /** Home Assistant has started: says everything again. */
  born(): Promise<void>;
  /** Says nothing from now on: what changes meanwhile is said with everything else at the next connection. */
  disconnected(): void;
  /** Says nothing more, and hears of nothing any more. */
  stop(): void;
  /** undefined: the account has no role on the lock now, so Home Assistant is not to know of it. */
  says(lockId: LockId): LockAnnouncement | undefined;
  /** How many locks are announced. */
  announcedLocks(): number;
  /** Says why a command did nothing. */
  refused(lockId: LockId, refusal: HomeRefusal): void;
}

export interface HomeAnnouncerOptions extends HomeMessagesOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly nextTurn: NextTurn;
  readonly broker: Pick<HomeBroker, 'publish' | 'room'>;
  /** The stores, the lists, the last records and the states of the doors must get each event before this. */
  readonly events: Pick<EventBus, 'subscribe'>;
  /** The name of the account; it need not exist (yet). */
  readonly account: string;
  readonly accounts: Pick<AccountStore, 'byName'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly lists: Pick<LockLists, 'of'>;
  readonly lastRecords: Pick<LastRecords, 'of' | 'ready'>;
  readonly doors: Pick<DoorStates, 'of' | 'ready'>;
}

type Said = 'config' | LockStateKind;
const everything: readonly Said[] = ['config', ...lockStateKinds];

export function createHomeAnnouncer(options: HomeAnnouncerOptions): HomeAnnouncer {
  const { clock, nextTurn, broker, events, accounts, locks, lists, lastRecords, doors } = options;
  const messages = createHomeMessages(options);
  const moving = new Map<LockId, OpenState>();
  /** What the configs were made of that Home Assistant has; also of locks that are to be taken away. */
  const announced = new Map<LockId, string>();
  /** Locks that were taken away; said once more, because the connection may have ended before the broker has heard all of it. */
  const leaving = new Set<LockId>();
  /** What may have to be said anew. */
  const changes = new Map<LockId, Set<Said>>();
  let isConnected = false;
  let isWorking = false;
  /** How many announcements were begun: the last one alone goes on. */
  let rounds = 0;

  function roleOf(lock: Lock | undefined): LockRole | undefined {
    const account = accounts.byName(options.account);
    return lock === undefined || account === undefined ? undefined : roleOn(lock, account);
  }
  /** Those of the account, and those that may have to be taken away. */
  function locksOf(accountId: AccountId | undefined): Iterable<LockId> {
    return new Set([...(accountId === undefined ? [] : lists.of(accountId)), ...announced.keys()]);
  }

  /** Says this of a lock, a config only when it is another one or `isAnew`; takes the lock away if the account has no role on it (any more). */
  function say(lockId: LockId, what: Iterable<Said>, isAnew: boolean): void {
    const lock = locks.get(lockId);
    const role = roleOf(lock);
    if (lock === undefined || role === undefined) {
      if (!announced.delete(lockId)) return;
      leaving.add(lockId);
      messages.nothingOf(lockId);
      return;
    }
    for (const one of what) {
      if (one !== 'config') {
        messages.state(lock, role, moving.get(lockId), one);
        continue;
      }
      const toAnnounce = messages.toAnnounce(lock, role);
      const madeOf = partsOf(toAnnounce);
      if (!isAnew && announced.get(lockId) === madeOf) continue;
      announced.set(lockId, madeOf);
      messages.config(toAnnounce);
    }
  }
  async function inSlices<T>(items: Iterable<T>, goesOn: () => boolean, each: (item: T) => void): Promise<void> {
    const breakNow = createBreaks(clock, nextTurn);
    for (const item of items) {
      if (!goesOn()) return;
      each(item);
      await breakNow();
      await broker.room();
    }
  }

  async function announce(): Promise<void> {
    rounds += 1;
    const own = rounds;
    const goesOn = (): boolean => isConnected && own === rounds;
    await Promise.all([lastRecords.ready(), doors.ready()]);
    if (!goesOn()) return;
    const gone = [...leaving];
    await inSlices(gone, goesOn, messages.nothingOf);
    if (!goesOn()) return;
    messages.gatewayConfig();
    const all = locksOf(accounts.byName(options.account)?.accountId);
    await inSlices(all, goesOn, (lockId) => say(lockId, ['config'], true));
    if (goesOn()) messages.gatewayState();
    await inSlices(all, goesOn, (lockId) => say(lockId, lockStateKinds, true));
    if (!goesOn()) return;
    messages.online();
    for (const lockId of gone) leaving.delete(lockId);
  }

  /** Says it in a later turn: no door waits until somebody was told of it. */
  function changed(lockId: LockId, what: readonly Said[]): void {
    if (!isConnected) return;
    const known = changes.get(lockId) ?? new Set();
    changes.set(lockId, known);
    for (const one of what) known.add(one);
    if (!isWorking) void sayChanges();
  }
  async function sayChanges(): Promise<void> {
    isWorking = true;
    try {
      while (isConnected && changes.size > 0) {
        await nextTurn();
        await inSlices(changes, () => isConnected, sayChange);
      }
    } finally {
      isWorking = false;
    }
  }
  function sayChange([lockId, what]: readonly [LockId, Iterable<Said>]): void {
    changes.delete(lockId);
    say(lockId, what, false);
  }
  /** Nobody hears of a lock that is not announced. */
  function heard(lockId: LockId | null, what: readonly Said[]): void {
    if (lockId !== null && announced.has(lockId)) changed(lockId, what);
    if (lockId === null && isConnected) messages.gatewayState();
  }

  function lockChanged(before: Lock | undefined, after: Lock | undefined): void {
    const lockId = (after ?? before)?.lockId;
    if (lockId === undefined) return;
    if (after === undefined) moving.delete(lockId);
    const [earlier, role] = [roleOf(before), roleOf(after)];
    if (earlier !== role) changed(lockId, everything);
    else heard(lockId, before?.autoLockSeconds === after?.autoLockSeconds ? ['config'] : ['config', 'state']);
  }
  function accountChanged(before: AccountId | undefined, after: AccountId | undefined): void {
    if (before !== after) for (const lockId of locksOf(after)) changed(lockId, everything);
  }
  function stored({ lockId, epoch, drafts, firstRecordId }: StoredEvents): void {
    const role = isConnected && announced.has(lockId) ? roleOf(locks.get(lockId)) : undefined;
    if (role === undefined) return;
    for (const [n, draft] of drafts.entries()) messages.event({ ...draft, recordId: firstRecordId + n, lockId, epoch }, role);
    changed(lockId, drafts.some(({ type }) => type.startsWith('door-')) ? ['config', 'state', 'attributes'] : ['attributes']);
  }

  const subscriptions = [
    events.subscribe('lock-changed', ({ before, after }) => lockChanged(before, after)),
    events.subscribe('account-changed', ({ before, after }) => {
      if ((after ?? before)?.username === options.account) accountChanged(before?.accountId, after?.accountId);
    }),
    events.subscribe('status-changed', ({ lockId, before, after }) => {
      const isSame = before.state === after.state && before.stateAt === after.stateAt && before.batteryPercent === after.batteryPercent;
      if (!isSame) heard(lockId, ['state']);
    }),
    events.subscribe('lock-online', ({ lockId }) => heard(lockId, ['online', 'state'])),
    events.subscribe('lock-offline', ({ lockId }) => heard(lockId, ['online'])),
    events.subscribe('capabilities-changed', ({ lockId }) => heard(lockId, ['config', 'state'])),
    events.subscribe('alarm-began', ({ lockId }) => heard(lockId, ['state', 'alarms'])),
    events.subscribe('alarm-ended', ({ lockId }) => heard(lockId, ['state', 'alarms'])),
    events.subscribe('command-sent', ({ lockId, command }) => {
      const wanted = wantedBy(command);
      if (wanted === undefined) return;
      moving.set(lockId, wanted);
      heard(lockId, ['state']);
    }),
    events.subscribe('command-returned', ({ lockId, command }) => {
      if (wantedBy(command) !== undefined && moving.delete(lockId)) heard(lockId, ['state']);
    }),
    events.subscribe('records-stored', stored),
    events.subscribe('home-code-changed', () => {
      for (const lockId of announced.keys()) changed(lockId, ['config']);
    }),
  ];
  function disconnected(): void {
    isConnected = false;
    changes.clear();
  }

  return {
    connected() {
      isConnected = true;
      return announce();
    },
    born: announce,
    disconnected,
    stop() {
      disconnected();
      for (const unsubscribe of subscriptions) unsubscribe();
    },
    says(lockId) {
      const role = roleOf(locks.get(lockId));
      return role && { role };
    },
    announcedLocks: () => announced.size,
    refused(lockId, refusal) {
      if (isConnected && announced.has(lockId)) messages.refusal(lockId, refusal);
    },
  };
}

/** Changes with the config; shorter than it, because there is one for each lock. */
function partsOf({ lock, role, capabilities, hasDoor, hasCode }: LockToAnnounce): string {
  const { alias, name, modelNum, hardwareRevision, firmwareRevision, groupName } = lock;
  const ofDevice = [alias, name, modelNum, hardwareRevision, firmwareRevision, groupName];
  return JSON.stringify([...ofDevice, role, capabilities.battery, capabilities.autoLock, hasDoor, hasCode]);
}
