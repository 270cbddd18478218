// An index of the active alarms, in the orders in which clients list them. It is updated when an alarm begins or ends, so that a page is a
// look-up.
import { type AccountId, type Caller, roleSuffices } from '../accounts/account.ts';
import { type LockId, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import { insertSorted, removeSorted } from '../sorted.ts';
import { type Alarm, type AlarmKind, alarmKinds } from './alarm.ts';

export interface ActiveAlarm {
  /** A later value has the same kind, lock and beginning. */
  alarm: Alarm;
  /** When the cause ended, on the monotonic clock; undefined while it exists, or nothing is known about it. */
  goneAt: number | undefined;
}

export interface ActiveAlarms {
  find(kind: AlarmKind, lockId: LockId | null): ActiveAlarm | undefined;
  add(one: ActiveAlarm): void;
  remove(one: ActiveAlarm): void;
  all(): Iterable<ActiveAlarm>;
  ofLock(lockId: LockId): readonly Alarm[];
  ofKind(kind: AlarmKind): ReadonlySet<ActiveAlarm>;
  /** The newest first: for gateway administrators all alarms, for others those of the locks on which they are managers. */
  page(caller: Caller, request: PageRequest): Page<Alarm>;
}

/** How many callers have a cached list of their own. */
const listsCached = 100;

interface OwnList {
  readonly caller: Caller;
  readonly shown: ActiveAlarm[];
}

export function createActiveAlarms(locks: Pick<LockStore, 'get'>, lists: Pick<LockLists, 'rights'>): ActiveAlarms {
  const byLock = new Map<LockId | null, Map<AlarmKind, ActiveAlarm>>();
  const byKind = Object.fromEntries(alarmKinds.map((kind) => [kind, new Set<ActiveAlarm>()])) as Record<AlarmKind, Set<ActiveAlarm>>;
  const sorted: ActiveAlarm[] = [];
  /** The lists of callers that are no gateway administrators, valid as long as no rights on a lock change. */
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
    if (own.size >= listsCached) own.delete(own.keys().next().value as AccountId);
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
    ofLock(lockId) {
      const ofLock = byLock.get(lockId);
      return ofLock === undefined ? [] : Array.from(ofLock.values(), ({ alarm }) => alarm);
    },
    ofKind: (kind) => byKind[kind],
    page(caller, request) {
      const { list, ...envelope } = paginate(shownTo(caller), request);
      return { list: list.map(({ alarm }) => alarm), ...envelope };
    },
  };
}

const newestFirst = ({ alarm }: ActiveAlarm): number => -alarm.since;
