// The board: the locks of one account in their groups, what of them needs attention, and which ones the person sees first (HTTP API 13.2).
import { type Caller, type LockRole, roleSuffices } from '../accounts/account.ts';
import type { AccountSettingsStore } from '../accounts/account-settings.ts';
import { requireGatewayAdministrator, requireRole } from '../accounts/permissions.ts';
import { type Alarm, type AlarmKind, gatewayAlarms } from '../alarms/alarm.ts';
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { invalidParameter } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import { roleForAlarms, roleForEvent } from '../events/live-event.ts';
import { autoLockAt } from '../locks/auto-lock.ts';
import type { Drivers } from '../locks/driver.ts';
import { type Lock, type LockId, type OpenState, roleOn } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore, StatusStore } from '../locks/lock-ports.ts';
import type { StateCertainty } from '../locks/state-certainty.ts';
import { createBreaks, type NextTurn } from '../people/in-slices.ts';
import { oldestStored } from '../records/record.ts';
import type { Secrets } from '../secrets.ts';
import { createBoardVersions } from './board-versions.ts';
import type { LastRecord, LastRecords } from './last-records.ts';

export interface BoardLock {
  readonly lockId: LockId;
  readonly alias: string;
  /** null until the lock has said it; so are `stateAt` and `batteryPercent`. */
  readonly state: OpenState | null;
  /** `StateCertainty.isShownAsSure`. */
  readonly stateSure: boolean;
  readonly stateAt: number | null;
  readonly online: boolean;
  readonly batteryPercent: number | null;
  /** The kinds of the active alarms that the caller may see, the newest first. */
  readonly alarms: readonly AlarmKind[];
  readonly passage: boolean;
  /** When an unlocked lock should lock itself; null: it is locked, does not, or nothing is known of it. */
  readonly autoLockAt: number | null;
  /** null: the caller is no manager of the lock, or it has no record. */
  readonly last: LastRecord | null;
}

export interface BoardGroup {
  /** 0: the locks that are in no group. */
  readonly groupId: number;
  readonly name: string;
  /** By lockId. Each is made when it is asked for, and once, so that those of a large building are never in memory together. */
  readonly locks: Iterable<BoardLock>;
}

/** An alarm of a lock on the board; lockId null: of the gateway itself. */
export type Attention = Pick<Alarm, 'lockId' | 'kind' | 'since'>;

export interface Board {
  readonly groups: readonly BoardGroup[];
  /** The newest first. */
  readonly attention: readonly Attention[];
  readonly favourites: readonly LockId[];
}

export interface BoardService {
  /** A text that changes with anything on the board of this account, and tells nothing else. */
  version(caller: Caller): string;
  board(caller: Caller): Promise<Board>;
  /** For gateway administrators. Rejects with `invalid-parameter` for a group that stands twice, `not-found`, `storage-unavailable`. */
  orderGroups(caller: Caller, groupIds: readonly number[]): Promise<void>;
  /** Rejects with `invalid-parameter` for a lock that stands twice, `lock-not-found`, `forbidden`, `storage-unavailable`. */
  chooseFavourites(caller: Caller, lockIds: readonly LockId[]): Promise<void>;
}

/** What operators may read of a lock anyway: whether it is connected, and its battery. */
const alarmsForOperators: ReadonlySet<AlarmKind> = new Set(['offline', 'low-battery']);

export function createBoardService(options: {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly locks: LockStore;
  readonly lists: Pick<LockLists, 'of' | 'rights'>;
  readonly statuses: StatusStore;
  readonly link: Pick<Drivers, 'session'>;
  readonly certainty: Pick<StateCertainty, 'isShownAsSure'>;
  readonly alarms: Pick<AlarmService, 'ofLock' | 'active'>;
  readonly counters: Pick<CounterStore, 'groupIds' | 'orderGroups'>;
  readonly settings: AccountSettingsStore;
  readonly lastRecords: Pick<LastRecords, 'of' | 'ready'>;
  readonly secrets: Pick<Secrets, 'hash' | 'newToken'>;
  readonly clockIsSuspect: () => boolean;
  readonly recordDays: number;
  readonly nextTurn: NextTurn;
}): BoardService {
  const { clock, locks, lists, statuses, link, certainty, alarms, counters, settings, lastRecords, secrets } = options;
  const versions = createBoardVersions(options.events);
  /** No version of before a restart is ever valid again. */
  const start = secrets.newToken();
  /** How often the order of the groups, or any favourites, were changed. */
  let choices = 0;

  function alarmsSeen({ lockId }: Lock, role: LockRole): readonly Alarm[] {
    const all = alarms.ofLock(lockId);
    if (all.length === 0) return all;
    const seen = roleSuffices(role, roleForAlarms) ? all : all.filter(({ kind }) => alarmsForOperators.has(kind));
    return seen.toSorted(newestFirst);
  }
  function lockSeen(lock: Lock, role: LockRole, oldest: number): BoardLock {
    const { lockId, alias } = lock;
    const { state, stateAt, batteryPercent } = statuses.get(lockId);
    const last = roleSuffices(role, roleForEvent.record) ? lastRecords.of(lockId) : undefined;
    // One plain literal: this is made for each lock of a large building.
    return {
      lockId,
      alias,
      state,
      stateSure: certainty.isShownAsSure(lockId),
      stateAt,
      online: link.session(lockId) !== undefined,
      batteryPercent,
      alarms: alarmsSeen(lock, role).map(kindOf),
      passage: lock.settings.passageMode === 1,
      autoLockAt: autoLockAt(lock, { state, stateAt }),
      last: last === undefined || last.lockDate < oldest ? null : last,
    };
  }
  /** What the caller sees of these locks now: one may have gone since its group was made, or the role. */
  function* locksSeen(caller: Caller, lockIds: readonly LockId[], oldest: number): Iterable<BoardLock> {
    for (const lockId of lockIds) {
      const lock = locks.get(lockId);
      const role = lock && roleOn(lock, caller);
      if (lock !== undefined && role !== undefined) yield lockSeen(lock, role, oldest);
    }
  }
  function ofGateway(caller: Caller): readonly Attention[] {
    return caller.gatewayAdministrator ? gatewayAlarms.flatMap((kind) => alarms.active(kind, null) ?? []) : [];
  }
  /** In the order that was set; the locks without a group last. */
  function inOrder(groups: readonly BoardGroup[]): readonly BoardGroup[] {
    const places = new Map([...counters.groupIds(), 0].map((groupId, place) => [groupId, place]));
    const placeOf = ({ groupId }: BoardGroup): number => places.get(groupId) ?? places.size;
    return groups.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
  function favouritesOf(caller: Caller): readonly LockId[] {
    return settings.of(caller.accountId).favourites.filter((lockId) => {
      const lock = locks.get(lockId);
      return lock !== undefined && roleOn(lock, caller) !== undefined;
    });
  }

  return {
    version(caller) {
      const own = lists.of(caller.accountId);
      const ofAlarms = caller.gatewayAdministrator ? versions.gateway() : 'no';
      const all = [start, caller.accountId, own.length, versions.sumOf(own), lists.rights(), choices, ofAlarms];
      return secrets.hash(all.join(' ')).slice(0, 22);
    },

    async board(caller) {
      await lastRecords.ready();
      const oldest = oldestStored(clock.now(), options.clockIsSuspect(), options.recordDays);
      const breakNow = createBreaks(clock, options.nextTurn);
      const groups = new Map<number, { readonly name: string; readonly lockIds: LockId[] }>();
      const attention: Attention[] = [...ofGateway(caller)];
      for (const lockId of lists.of(caller.accountId)) {
        const pause = breakNow();
        if (pause !== undefined) await pause;
        const lock = locks.get(lockId);
        const role = lock && roleOn(lock, caller);
        if (lock === undefined || role === undefined) continue;
        for (const alarm of alarmsSeen(lock, role)) attention.push(alarm);
        const group = groups.get(lock.groupId);
        if (group === undefined) groups.set(lock.groupId, { name: lock.groupName, lockIds: [lockId] });
        else group.lockIds.push(lockId);
      }
      const seen = Array.from(groups, ([groupId, { name, lockIds }]) => ({ groupId, name, locks: locksSeen(caller, lockIds, oldest) }));
      return { groups: inOrder(seen), attention: attention.sort(newestFirst), favourites: favouritesOf(caller) };
    },

    async orderGroups(caller, groupIds) {
      requireGatewayAdministrator(caller);
      requireOnce('groupIds', groupIds);
      await counters.orderGroups(groupIds);
      choices += 1;
    },

    async chooseFavourites(caller, lockIds) {
      requireOnce('lockIds', lockIds);
      for (const lockId of lockIds) requireRole(locks, caller, lockId, 'operator');
      await settings.update(caller.accountId, (now) => ({ ...now, favourites: lockIds }));
      choices += 1;
    },
  };
}

const kindOf = ({ kind }: Alarm): AlarmKind => kind;
const newestFirst = (one: Attention, other: Attention): number => other.since - one.since;

function requireOnce(parameter: string, ids: readonly number[]): void {
  if (new Set(ids).size < ids.length) throw invalidParameter(parameter, 'must contain each id once');
}
