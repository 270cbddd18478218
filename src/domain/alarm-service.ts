// The alarms that stand: raised and cleared by the supervision, kept on the disk, shown to people, and ended by them where nothing else can.
import { type Caller, roleSuffices } from './account.ts';
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
import { DomainError } from './errors.ts';
import { type LockId, roleOn } from './lock.ts';
import type { Notice, Notify } from './notice.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import type { Part } from './part.ts';
import { requireLock, requireRole } from './permissions.ts';
import type { AlarmStore, Clock, LockStore } from './ports.ts';

/** What nobody waits for is written so much later, together with whatever else has changed by then. */
const writeDelayMs = 2_000;

type Seen = Pick<Alarm, 'reason'> & Partial<Pick<Alarm, 'since' | 'batteryPercent' | 'lost'>>;

export interface AlarmService extends Part {
  /** The cause is there: begins the alarm, or goes on with the one that stands. */
  raise(kind: AlarmKind, lockId: LockId | null, seen: Seen): void;
  /** Resolves when an alarm that stands is on the disk; undefined when it is there already. Rejects with `storage-unavailable`, and stands all the same. */
  kept(kind: AlarmKind, lockId: LockId | null): Promise<void> | undefined;
  /** The cause is gone: the alarm ends when it has stayed so for a while. Nothing happens to one that a person has to end. */
  clear(kind: AlarmKind, lockId: LockId | null): void;
  /** A gap that is filled after all ends without a person. */
  clearGap(lockId: LockId): void;
  standing(kind: AlarmKind, lockId: LockId | null): Alarm | undefined;
  /** Of one kind, of all locks. */
  ofKind(kind: AlarmKind): readonly Alarm[];
  /** Whether a person knows already that these are lost. */
  isAccepted(lockId: LockId, lost: LostEvents): boolean;
  /** Ends what has been without a cause for long enough, and what belongs to no lock any more. */
  settle(): void;
  /** The newest first: to gateway administrators all of them, to others those of the locks on which they are managers. */
  list(caller: Caller, page: PageRequest): Page<Alarm>;
  /** For gateway administrators and the lock's managers. `lock-not-found`, `not-found`; `conflict` for one that ends by itself. */
  end(caller: Caller, kind: AlarmKind, lockId: LockId): Promise<void>;
  /** How many stand, by kind. */
  figures(): Readonly<Record<AlarmKind, number>>;
}

interface Standing {
  alarm: Alarm;
  /** On the monotonic clock; undefined while the cause is there, or nothing was heard of it. */
  goneAt: number | undefined;
  isKept: boolean;
}

export function createAlarmService(options: {
  readonly clock: Clock;
  readonly alarms: AlarmStore;
  readonly locks: LockStore;
  readonly notify: Notify;
  /** For so long a cause must be gone: what comes and goes all the time is one alarm, and one write. */
  readonly endAfterMs: number;
}): AlarmService {
  const { clock, alarms, locks, notify, endAfterMs } = options;
  const standing = new Map<LockId | null, Map<AlarmKind, Standing>>();
  const accepted = new Map<LockId, readonly LostEvents[]>();
  /** Said when it is on the disk, so that no restart says it again. */
  let unsaid: Notice[] = [];
  let cancelWrite: (() => void) | undefined;
  let stopped = false;

  const find = (kind: AlarmKind, lockId: LockId | null): Standing | undefined => standing.get(lockId)?.get(kind);
  const all = (): Standing[] => [...standing.values()].flatMap((kinds) => [...kinds.values()]);

  async function write(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    const written = all().map((one) => ({ one, alarm: one.alarm }));
    const said = unsaid;
    unsaid = [];
    const acceptedLosses = [...accepted].map(([lockId, lost]): AcceptedLoss => ({ lockId, lost }));
    try {
      await alarms.keep({ alarms: written.map(({ alarm }) => alarm), acceptedLosses });
      for (const { one, alarm } of written) if (one.alarm === alarm) one.isKept = true;
    } catch (error) {
      touch();
      throw error;
    } finally {
      // On a disk that fails, too: that is when they are needed most.
      for (const notice of said) notify(notice);
    }
  }
  function touch(): void {
    if (!stopped) cancelWrite ??= clock.timer(writeDelayMs, () => void write().catch(() => undefined));
  }
  function add(one: Standing): void {
    const { kind, lockId } = one.alarm;
    const kinds = standing.get(lockId) ?? new Map<AlarmKind, Standing>();
    standing.set(lockId, kinds.set(kind, one));
  }
  function remove({ alarm: { kind, lockId } }: Standing): void {
    const kinds = standing.get(lockId);
    kinds?.delete(kind);
    if (kinds?.size === 0) standing.delete(lockId);
  }
  function ended({ alarm: { kind, lockId, since } }: Standing, by?: string): Notice {
    return { kind: 'alarm-ended', alarm: kind, lockId, since, ...(by !== undefined && { by }) };
  }
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
      const kept = alarms.current();
      for (const alarm of kept.alarms) add({ alarm, goneAt: undefined, isKept: true });
      for (const { lockId, lost } of kept.acceptedLosses) accepted.set(lockId, lost);
    },
    async stop() {
      stopped = true;
      if (cancelWrite !== undefined) await write().catch(() => undefined);
    },

    raise(kind, lockId, { reason, since = clock.now(), batteryPercent, lost }) {
      const known = find(kind, lockId);
      if (known !== undefined) {
        known.goneAt = undefined;
        if (lost === undefined || lost.every((one) => includesLost(known.alarm.lost ?? [], one))) return;
        known.alarm = { ...known.alarm, lost: joinLost(known.alarm.lost ?? [], lost) };
        known.isKept = false;
        touch();
        return;
      }
      const more = { ...(batteryPercent !== undefined && { batteryPercent }), ...(lost !== undefined && { lost }) };
      add({ alarm: { kind, lockId, since, reason, ...more }, goneAt: undefined, isKept: false });
      unsaid.push({ kind: 'alarm-began', alarm: kind, lockId, since, reason });
      touch();
    },
    kept(kind, lockId) {
      const one = find(kind, lockId);
      return one === undefined || one.isKept ? undefined : write();
    },
    clear(kind, lockId) {
      if (!endsByPerson(kind)) gone(kind, lockId);
    },
    clearGap: (lockId) => gone('event-gap', lockId),
    standing: (kind, lockId) => find(kind, lockId)?.alarm,
    ofKind: (kind) => all().flatMap(({ alarm }) => (alarm.kind === kind ? [alarm] : [])),
    isAccepted: (lockId, lost) => includesLost(accepted.get(lockId) ?? [], lost),

    settle() {
      const now = clock.monotonic();
      for (const one of all()) {
        const { lockId } = one.alarm;
        const isOrphan = lockId !== null && locks.get(lockId) === undefined;
        if (!isOrphan && (one.goneAt === undefined || now - one.goneAt < endAfterMs)) continue;
        remove(one);
        unsaid.push(ended(one));
        touch();
      }
      for (const lockId of accepted.keys()) if (locks.get(lockId) === undefined && accepted.delete(lockId)) touch();
    },

    list(caller, page) {
      const isShown = (lockId: LockId | null): boolean => {
        if (caller.gatewayAdministrator) return true;
        const lock = lockId === null ? undefined : locks.get(lockId);
        return lock !== undefined && roleSuffices(roleOn(lock, caller), 'manager');
      };
      const shown = all().flatMap(({ alarm }) => (isShown(alarm.lockId) ? [alarm] : []));
      return paginate(
        shown.sort((a, b) => b.since - a.since),
        page,
      );
    },

    async end(caller, kind, lockId) {
      mayEnd(caller, lockId);
      const one = find(kind, lockId);
      if (one === undefined) throw new DomainError('not-found', `no alarm ${kind} stands for lock ${lockId}`);
      if (!endsByPerson(kind)) throw new DomainError('conflict', `the alarm ${kind} ends by itself when its cause is gone`);
      const before = accepted.get(lockId);
      remove(one);
      if (one.alarm.lost !== undefined) accepted.set(lockId, joinLost(before ?? [], one.alarm.lost));
      try {
        await write();
        notify(ended(one, caller.username));
      } catch (error) {
        if (find(kind, lockId) === undefined) add(one);
        if (before === undefined) accepted.delete(lockId);
        else accepted.set(lockId, before);
        throw error;
      }
    },

    figures() {
      const counts = Object.fromEntries(alarmKinds.map((kind) => [kind, 0])) as Record<AlarmKind, number>;
      for (const { alarm } of all()) counts[alarm.kind] += 1;
      return counts;
    },
  };
}
