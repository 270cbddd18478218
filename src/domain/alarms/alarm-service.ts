// The active alarms: the alarm detector raises and clears them; this service has them stored, and shows people those that the store holds
// and those that are still to be written.
import type { Caller } from '../accounts/account.ts';
import { requireLock, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Part } from '../part.ts';
import { createActiveAlarms } from './active-alarms.ts';
import { type Alarm, type AlarmKind, alarmKinds, endsByPerson, includesLost, joinLost, type LostEvents } from './alarm.ts';
import type { AlarmStore } from './alarm-ports.ts';

/** A change for which nobody waits is written after this time, together with all others by then. */
const writeDelayMs = 2_000;
/** How many are written and emitted together; door commands run between two batches. */
const writtenAtOnce = 500;

type AlarmName = Pick<Alarm, 'kind' | 'lockId'>;
type Seen = Pick<Alarm, 'reason'> & Partial<Pick<Alarm, 'since' | 'batteryPercent' | 'lost'>>;

export interface AlarmService extends Part {
  /** The cause exists: begins the alarm, or continues the active one. */
  raise(kind: AlarmKind, lockId: LockId | null, seen: Seen): void;
  /** The active alarm has another reason, or one more: it is emitted again. */
  amend(kind: AlarmKind, lockId: LockId | null, reason: string): void;
  /**
   * Resolves when an active alarm is on the disk; undefined: it is already. Rejects with `storage-unavailable`, and it is active all the same.
   */
  stored(kind: AlarmKind, lockId: LockId | null): Promise<void> | undefined;
  /** The cause is gone: the alarm ends when it stays gone for a while. Has no effect on an alarm that a person must end. */
  clear(kind: AlarmKind, lockId: LockId | null): void;
  /** All missing events have come: ends the alarm of the gap without a person. */
  clearGap(lockId: LockId): void;
  active(kind: AlarmKind, lockId: LockId | null): Alarm | undefined;
  /** The active alarms of one kind, of all locks. */
  ofKind(kind: AlarmKind): readonly Alarm[];
  /** The active alarms of one lock, of all kinds. */
  ofLock(lockId: LockId): readonly Alarm[];
  /** Whether a person has already accepted the loss of these events. */
  isAccepted(lockId: LockId, lost: LostEvents): boolean;
  /** Ends alarms whose cause has been gone for long enough, and those of removed locks. */
  endGone(): void;
  /** The newest first: for gateway administrators all alarms, for others those of the locks on which they are managers. */
  list(caller: Caller, page: PageRequest): Page<Alarm>;
  /**
   * For gateway administrators and the lock's managers. Rejects with `lock-not-found` or `not-found`, and with `conflict` for an alarm that
   * ends by itself.
   */
  end(caller: Caller, kind: AlarmKind, lockId: LockId): Promise<void>;
  /** How many alarms are active, by kind. */
  stats(): Readonly<Record<AlarmKind, number>>;
}

/** An alarm that this service has changed, until the store has it. */
interface Unwritten extends AlarmName {
  /** To be emitted once it is stored, so that no restart emits them again. */
  readonly events: (() => void)[];
  /** It has changed since the last write of it began, or that failed. */
  isDue: boolean;
  /** How many writes of it are under way. */
  writes: number;
}

export function createAlarmService(options: {
  readonly clock: Clock;
  readonly alarms: AlarmStore;
  readonly locks: LockStore;
  readonly lists: Pick<LockLists, 'rights'>;
  readonly events: EventBus;
  /** How long a cause must be gone before its alarm ends: a cause that comes and goes is one alarm, and one write. */
  readonly endAfterMs: number;
}): AlarmService {
  const { clock, alarms, locks, lists, events, endAfterMs } = options;
  const active = createActiveAlarms(locks, lists);
  const unwritten = new Map<string, Unwritten>();
  /** Who has ended an alarm. */
  const endedBy = new WeakMap<Alarm, string>();
  let cancelWrite: (() => void) | undefined;
  let stopped = false;
  const { find } = active;

  function unwrittenOf({ kind, lockId }: AlarmName): Unwritten {
    const key = keyOf({ kind, lockId });
    const one = unwritten.get(key) ?? { kind, lockId, events: [], isDue: false, writes: 0 };
    unwritten.set(key, one);
    return one;
  }
  /** Writes these alarms as they are now, and emits their events. */
  async function write(changed: readonly Unwritten[]): Promise<void> {
    const written = changed.flatMap(({ kind, lockId }) => find(kind, lockId)?.alarm ?? []);
    const over = changed.filter(({ kind, lockId }) => find(kind, lockId) === undefined);
    const waiting = changed.flatMap((one) => one.events.splice(0));
    for (const one of changed) {
      one.isDue = false;
      one.writes += 1;
    }
    try {
      await alarms.update(() => ({ active: written, ended: over }));
    } catch (error) {
      for (const one of changed) touch(one);
      throw error;
    } finally {
      // The events are emitted even if the disk fails: that is when people need them most.
      for (const emitNow of waiting) emitNow();
      for (const one of changed) {
        one.writes -= 1;
        if (one.isDue || one.writes > 0) continue;
        unwritten.delete(keyOf(one));
        follow(one);
      }
    }
  }
  async function writeAll(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    const isDue = (one: Unwritten): boolean => one.isDue;
    const changed = [...unwritten.values()].filter(isDue);
    for (let from = 0; from < changed.length; from += writtenAtOnce) {
      // Some of them may be stored meanwhile, for a caller that waited for it.
      await write(changed.slice(from, from + writtenAtOnce).filter(isDue)).catch(() => undefined);
    }
  }
  /** Schedules the write of an alarm and its event. */
  function touch(name: AlarmName, ...waiting: (() => void)[]): void {
    const one = unwrittenOf(name);
    one.isDue = true;
    one.events.push(...waiting);
    wake();
  }
  function wake(): void {
    if (!stopped) cancelWrite ??= clock.timer(writeDelayMs, () => void writeAll());
  }
  function began({ kind, lockId, since, reason }: Alarm): void {
    events.emit('alarm-began', { alarm: kind, lockId, since, reason });
  }
  function ended({ kind, lockId, since }: Alarm, by?: string): void {
    events.emit('alarm-ended', { alarm: kind, lockId, since, ...(by !== undefined && { by }) });
  }
  /** Shows an alarm as the store has it, unless it is still to be written: another gateway has changed it, or a person has ended it. */
  function follow(name: AlarmName): void {
    const known = find(name.kind, name.lockId);
    const before = known?.alarm;
    const after = alarms.get(name.kind, name.lockId);
    if (before === after || unwritten.has(keyOf(name))) return;
    const goesOn = before !== undefined && before.since === after?.since;
    if (known !== undefined) active.remove(known);
    if (after !== undefined) active.add({ alarm: after, goneAt: goesOn ? known?.goneAt : undefined });
    if (before !== undefined && !goesOn) ended(before, endedBy.get(before));
    if (after !== undefined && !(goesOn && before.reason === after.reason)) began(after);
  }
  function gone(kind: AlarmKind, lockId: LockId | null): void {
    const one = find(kind, lockId);
    if (one !== undefined) one.goneAt ??= clock.monotonic();
  }
  function stored(kind: AlarmKind, lockId: LockId | null): Promise<void> | undefined {
    const alarm = find(kind, lockId)?.alarm;
    return alarm === undefined || alarm === alarms.get(kind, lockId) ? undefined : write([unwrittenOf(alarm)]);
  }
  function isOfRemoved({ lockId }: Pick<Alarm, 'lockId'>): boolean {
    return lockId !== null && locks.get(lockId) === undefined;
  }

  events.subscribe('alarm-changed', ({ before, after }) => follow((after ?? before) as Alarm));

  return {
    name: 'alarms',
    async start() {
      for (const alarm of alarms.all()) if (find(alarm.kind, alarm.lockId) === undefined) active.add({ alarm, goneAt: undefined });
    },
    async stop() {
      stopped = true;
      if (cancelWrite !== undefined) await writeAll();
    },

    raise(kind, lockId, { reason, since = clock.now(), batteryPercent, lost }) {
      const known = find(kind, lockId);
      if (known !== undefined) {
        known.goneAt = undefined;
        if (lost === undefined || lost.every((one) => includesLost(known.alarm.lost ?? [], one))) return;
        known.alarm = { ...known.alarm, lost: joinLost(known.alarm.lost ?? [], lost) };
        touch(known.alarm);
        return;
      }
      const more = { ...(batteryPercent !== undefined && { batteryPercent }), ...(lost !== undefined && { lost }) };
      const alarm = { kind, lockId, since, reason, ...more };
      active.add({ alarm, goneAt: undefined });
      touch(alarm, () => began(alarm));
    },
    amend(kind, lockId, reason) {
      const known = find(kind, lockId);
      if (known === undefined || known.alarm.reason === reason) return;
      const alarm = { ...known.alarm, reason };
      known.alarm = alarm;
      touch(alarm, () => began(alarm));
    },
    stored,
    clear(kind, lockId) {
      if (!endsByPerson(kind)) gone(kind, lockId);
    },
    clearGap: (lockId) => gone('event-gap', lockId),
    active: (kind, lockId) => find(kind, lockId)?.alarm,
    ofKind: (kind) => [...active.ofKind(kind)].map(({ alarm }) => alarm),
    ofLock: active.ofLock,
    isAccepted: (lockId, lost) => includesLost(alarms.accepted(lockId), lost),

    endGone() {
      const now = clock.monotonic();
      for (const one of active.all()) {
        const isOver = one.goneAt !== undefined && now - one.goneAt >= endAfterMs;
        if (!isOver && !isOfRemoved(one.alarm)) continue;
        active.remove(one);
        touch(one.alarm, () => ended(one.alarm));
      }
      const losses = [...alarms.acceptedLosses()].filter(isOfRemoved).slice(0, writtenAtOnce);
      // The next look does it where the disk does not take it now.
      const dropped = losses.map(({ lockId }) => ({ lockId, lost: [] }));
      if (dropped.length > 0) alarms.update(() => ({ acceptedLosses: dropped })).catch(() => undefined);
    },

    list: active.page,

    async end(caller, kind, lockId) {
      requireLock(locks, lockId);
      if (!caller.gatewayAdministrator) requireRole(locks, caller, lockId, 'manager');
      const notActive = () => new DomainError('not-found', `no alarm ${kind} is active for lock ${lockId}`);
      if (find(kind, lockId) === undefined) throw notActive();
      if (!endsByPerson(kind)) throw new DomainError('conflict', `the alarm ${kind} ends by itself when its cause is gone`);
      await stored(kind, lockId);
      await alarms.update((newest) => {
        const alarm = newest.get(kind, lockId);
        if (alarm === undefined) throw notActive();
        endedBy.set(alarm, caller.username);
        const lost = alarm.lost && joinLost(newest.accepted(lockId), alarm.lost);
        return { ended: [alarm], ...(lost && { acceptedLosses: [{ lockId, lost }] }) };
      });
    },

    stats() {
      return Object.fromEntries(alarmKinds.map((kind) => [kind, active.ofKind(kind).size])) as Record<AlarmKind, number>;
    },
  };
}

function keyOf({ kind, lockId }: AlarmName): string {
  return `${kind} ${lockId}`;
}
