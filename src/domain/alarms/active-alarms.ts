// The alarms that stand, in the orders in which they are asked for: kept up with each that begins or ends, so that a page is looked up.
import { type AccountId, type Caller, roleSuffices } from '../accounts/account.ts';
import { type LockId, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import { insertSorted, removeSorted } from '../sorted.ts';
import { type Alarm, type AlarmKind, alarmKinds } from './alarm.ts';

export interface ActiveAlarm {
  /** Goes on with the same kind, lock and time of its beginning. */
  alarm: Alarm;
  /** On the monotonic clock; undefined while the cause is there, or nothing was heard of it. */
  goneAt: number | undefined;
  isKept: boolean;
}

export interface ActiveAlarms {
  find(kind: AlarmKind, lockId: LockId | null): ActiveAlarm | undefined;
  add(one: ActiveAlarm): void;
  remove(one: ActiveAlarm): void;
  all(): Iterable<ActiveAlarm>;
  ofLock(lockId: LockId): readonly Alarm[];
  ofKind(kind: AlarmKind): ReadonlySet<ActiveAlarm>;
  /** The newest first: to gateway administrators all of them, to others those of the locks on which they are managers. */
  page(caller: Caller, request: PageRequest): Page<Alarm>;
}

/** Callers whose own lists are kept. */
const listsKept = 100;

interface OwnList {
  readonly caller: Caller;
  readonly shown: ActiveAlarm[];
}

export function createActiveAlarms(locks: Pick<LockStore, 'get'>, lists: Pick<LockLists, 'rights'>): ActiveAlarms {
  const byLock = new Map<LockId | null, Map<AlarmKind, ActiveAlarm>>();
  const byKind = Object.fromEntries(alarmKinds.map((kind) => [kind, new Set<ActiveAlarm>()])) as Record<AlarmKind, Set<ActiveAlarm>>;
  const sorted: ActiveAlarm[] = [];
  /** Of those who are no gateway administrators, as long as nobody's rights on a lock change. */
  const own = new Map<AccountId, OwnList>();
  let rights = lists.rights();

  function isShown(caller: Caller, { alarm: { lockId } }: ActiveAlarm): boolean {
    const lock = lockId === null ? undefined : locks.get(lockId);
    return lock !== undefined && roleSuffices(roleOn(lock, caller), 'manager');
  }
  function shownTo(caller: Caller): readonly ActiveAlarm[] {
    if (caller.gatewayAdministrator) return sorted;
    if (rights !== lists.rights()) own.clear();
    rights = lists.rights();
    const known = own.get(caller.accountId);
    if (known !== undefined) return known.shown;
    if (own.size >= listsKept) own.delete(own.keys().next().value as AccountId);
    const shown = sorted.filter((one) => isShown(caller, one));
    own.set(caller.accountId, { caller, shown });
    return shown;
  }

  return {
    find: (kind, lockId) => byLock.get(lockId)?.get(kind),
    add(one) {
      const { kind, lockId } = one.alarm;
      const kinds = byLock.get(lockId) ?? new Map<AlarmKind, ActiveAlarm>();
      byLock.set(lockId, kinds.set(kind, one));
      byKind[kind].add(one);
      insertSorted(sorted, one, newestFirst);
      for (const { caller, shown } of own.values()) if (isShown(caller, one)) insertSorted(shown, one, newestFirst);
    },
    remove(one) {
      const { kind, lockId } = one.alarm;
      const kinds = byLock.get(lockId);
      kinds?.delete(kind);
      if (kinds?.size === 0) byLock.delete(lockId);
      byKind[kind].delete(one);
      removeSorted(sorted, one, newestFirst);
      for (const { shown } of own.values()) removeSorted(shown, one, newestFirst);
    },
    all: () => [...sorted],
    ofLock: (lockId) => [...(byLock.get(lockId)?.values() ?? [])].map(({ alarm }) => alarm),
    ofKind: (kind) => byKind[kind],
    page(caller, request) {
      const { list, ...envelope } = paginate(shownTo(caller), request);
      return { list: list.map(({ alarm }) => alarm), ...envelope };
    },
  };
}

const newestFirst = ({ alarm }: ActiveAlarm): number => -alarm.since;
