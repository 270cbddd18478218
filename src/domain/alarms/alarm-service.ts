// The active alarms: the alarm detector raises and clears them; this service stores them and shows them to people.
import type { Caller } from '../accounts/account.ts';
import { requireLock, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockLists } from '../locks/lock-lists.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Part } from '../part.ts';
import { type ActiveAlarm, createActiveAlarms } from './active-alarms.ts';
import {
  type AcceptedLoss,
  type Alarm,
  type AlarmKind,
  alarmKinds,
  endsByPerson,
  includesLost,
  joinLost,
  type LostEvents,
} from './alarm.ts';
import type { AlarmStore } from './alarm-ports.ts';

/** A change for which nobody waits is written after this time, together with all others by then. */
const writeDelayMs = 2_000;

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

/** An alarm that has changed since it was last stored, and the events to emit once it is stored, so that no restart emits them again. */
interface Unwritten {
  readonly kind: AlarmKind;
  readonly lockId: LockId | null;
  readonly events: (() => void)[];
}

/** How many are written and emitted together; door commands run between two batches. */
const writtenAtOnce = 500;

export function createAlarmService(options: {
  readonly clock: Clock;
  readonly alarms: AlarmStore;
  readonly locks: LockStore;
  readonly lists: Pick<LockLists, 'rights'>;
  readonly emit: Emit;
  /** How long a cause must be gone before its alarm ends: a cause that comes and goes is one alarm, and one write. */
  readonly endAfterMs: number;
}): AlarmService {
  const { clock, alarms, locks, lists, emit, endAfterMs } = options;
  const active = createActiveAlarms(locks, lists);
  const accepted = new Map<LockId, readonly LostEvents[]>();
  const unwritten = new Map<string, Unwritten>();
  /** Removed locks whose stored losses are still to be deleted. */
  const unwrittenLosses = new Set<LockId>();
  let cancelWrite: (() => void) | undefined;
  let stopped = false;

  const { find } = active;

  /** Writes the changes of these alarms, and emits their events. */
  async function write(changed: readonly Unwritten[], losses: readonly LockId[]): Promise<void> {
    for (const one of changed) if (isUnwritten(one)) unwritten.delete(keyOf(one.kind, one.lockId));
    for (const lockId of losses) unwrittenLosses.delete(lockId);
    const written = changed.flatMap(({ kind, lockId }) => find(kind, lockId) ?? []).map((one) => ({ one, alarm: one.alarm }));
    try {
      await alarms.keep({
        active: written.map(({ alarm }) => alarm),
        ended: changed.filter(({ kind, lockId }) => find(kind, lockId) === undefined),
        acceptedLosses: losses.map((lockId): AcceptedLoss => ({ lockId, lost: accepted.get(lockId) ?? [] })),
      });
      for (const { one, alarm } of written) if (one.alarm === alarm) one.isStored = true;
    } catch (error) {
      for (const { kind, lockId } of changed) touch(kind, lockId);
      for (const lockId of losses) unwrittenLosses.add(lockId);
      throw error;
    } finally {
      // The events are emitted even if the disk fails: that is when people need them most.
      for (const { events } of changed) for (const emitNow of events) emitNow();
    }
  }
  async function writeAll(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    const [changed, losses] = [[...unwritten.values()], [...unwrittenLosses]];
    for (let from = 0; from < Math.max(changed.length, losses.length); from += writtenAtOnce) {
      // Some of them may be stored meanwhile, for a caller that waited for it.
      const some = changed.slice(from, from + writtenAtOnce).filter(isUnwritten);
      await write(some, losses.slice(from, from + writtenAtOnce)).catch(() => undefined);
    }
  }
  function isUnwritten(one: Unwritten): boolean {
    return unwritten.get(keyOf(one.kind, one.lockId)) === one;
  }
  /** Schedules the write of an alarm and its event. */
  function touch(kind: AlarmKind, lockId: LockId | null, event?: () => void): void {
    const key = keyOf(kind, lockId);
    const known = unwritten.get(key) ?? { kind, lockId, events: [] };
    unwritten.set(key, known);
    if (event !== undefined) known.events.push(event);
    wake();
  }
  function wake(): void {
    if (!stopped) cancelWrite ??= clock.timer(writeDelayMs, () => void writeAll());
  }
  const began =
    ({ kind, lockId, since, reason }: Alarm) =>
    (): void =>
      emit('alarm-began', { alarm: kind, lockId, since, reason });
  const ended =
    ({ alarm: { kind, lockId, since } }: ActiveAlarm, by?: string) =>
    (): void =>
      emit('alarm-ended', { alarm: kind, lockId, since, ...(by !== undefined && { by }) });
  function gone(kind: AlarmKind, lockId: LockId | null): void {
    const one = find(kind, lockId);
    if (one !== undefined) one.goneAt ??= clock.monotonic();
  }
  function mayEnd(caller: Caller, lockId: LockId): void {
    requireLock(locks, lockId);
    if (!caller.gatewayAdministrator) requireRole(locks, caller, lockId, 'manager');
  }

  return {
    name: 'alarms',
    async start() {
      const stored = await alarms.load();
      for (const alarm of stored.alarms) active.add({ alarm, goneAt: undefined, isStored: true });
      for (const { lockId, lost } of stored.acceptedLosses) accepted.set(lockId, lost);
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
        known.isStored = false;
        touch(kind, lockId);
        return;
      }
      const more = { ...(batteryPercent !== undefined && { batteryPercent }), ...(lost !== undefined && { lost }) };
      const alarm = { kind, lockId, since, reason, ...more };
      active.add({ alarm, goneAt: undefined, isStored: false });
      touch(kind, lockId, began(alarm));
    },
    amend(kind, lockId, reason) {
      const known = find(kind, lockId);
      if (known === undefined || known.alarm.reason === reason) return;
      known.alarm = { ...known.alarm, reason };
      known.isStored = false;
      touch(kind, lockId, began(known.alarm));
    },
    stored(kind, lockId) {
      const one = find(kind, lockId);
      if (one === undefined || one.isStored) return undefined;
      return write([unwritten.get(keyOf(kind, lockId)) ?? { kind, lockId, events: [] }], []);
    },
    clear(kind, lockId) {
      if (!endsByPerson(kind)) gone(kind, lockId);
    },
    clearGap: (lockId) => gone('event-gap', lockId),
    active: (kind, lockId) => find(kind, lockId)?.alarm,
    ofKind: (kind) => [...active.ofKind(kind)].map(({ alarm }) => alarm),
    ofLock: active.ofLock,
    isAccepted: (lockId, lost) => includesLost(accepted.get(lockId) ?? [], lost),

    endGone() {
      const now = clock.monotonic();
      for (const one of active.all()) {
        const { kind, lockId } = one.alarm;
        const isOrphan = lockId !== null && locks.get(lockId) === undefined;
        if (!isOrphan && (one.goneAt === undefined || now - one.goneAt < endAfterMs)) continue;
        active.remove(one);
        touch(kind, lockId, ended(one));
      }
      for (const lockId of accepted.keys()) {
        if (locks.get(lockId) !== undefined) continue;
        accepted.delete(lockId);
        unwrittenLosses.add(lockId);
        wake();
      }
    },

    list: active.page,

    async end(caller, kind, lockId) {
      mayEnd(caller, lockId);
      const one = find(kind, lockId);
      if (one === undefined) throw new DomainError('not-found', `no alarm ${kind} is active for lock ${lockId}`);
      if (!endsByPerson(kind)) throw new DomainError('conflict', `the alarm ${kind} ends by itself when its cause is gone`);
      active.remove(one);
      const losses = one.alarm.lost === undefined ? [] : [lockId];
      const before = accepted.get(lockId);
      if (one.alarm.lost !== undefined) accepted.set(lockId, joinLost(before ?? [], one.alarm.lost));
      try {
        await write([unwritten.get(keyOf(kind, lockId)) ?? { kind, lockId, events: [] }], losses);
        ended(one, caller.username)();
      } catch (error) {
        if (find(kind, lockId) === undefined) active.add(one);
        if (before === undefined) accepted.delete(lockId);
        else accepted.set(lockId, before);
        throw error;
      }
    },

    stats() {
      return Object.fromEntries(alarmKinds.map((kind) => [kind, active.ofKind(kind).size])) as Record<AlarmKind, number>;
    },
  };
}

function keyOf(kind: AlarmKind, lockId: LockId | null): string {
  return `${kind} ${lockId}`;
}
