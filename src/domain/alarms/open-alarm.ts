// The alarm of a door that is open for too long. A sensor at the door decides, where there is one; at a lock without a sensor and without auto
// lock, an unlocked bolt counts as an open door. Passage mode says that the door is to be open.
import type { Clock } from '../clock.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { StatusStore } from '../locks/lock-ports.ts';
import type { EventsReport } from '../locks/lock-report.ts';
import type { AlarmService } from './alarm-service.ts';

/** What is known of a door; times on the monotonic clock. */
interface Door {
  /** As its sensor said last; undefined: nothing since the start. */
  isOpen: boolean | undefined;
  /** The event that said so. */
  epoch: string;
  seq: number;
  /** Since when it counts as open; undefined: it does not. */
  since: number | undefined;
}

const kind = 'open-too-long';

export function createOpenAlarm(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly statuses: StatusStore;
  readonly alarms: AlarmService;
  /** 0: there is no such alarm. */
  readonly openAfterMs: number;
}) {
  const { clock, statuses, alarms, openAfterMs } = options;
  const doors = new Map<LockId, Door>();

  function doorOf(lockId: LockId): Door {
    // An alarm of before the start, at a lock whose bolt is not the reason: its sensor said so, and has still to say that it is closed.
    const isOpen = alarms.active(kind, lockId) !== undefined && statuses.get(lockId).state === 'locked' ? true : undefined;
    const door = doors.get(lockId) ?? { isOpen, epoch: '', seq: 0, since: undefined };
    doors.set(lockId, door);
    return door;
  }
  function reasonOf({ lockId, autoLockSeconds, settings: { passageMode } }: Lock, { isOpen }: Door): string | undefined {
    if (openAfterMs === 0 || passageMode === 1 || isOpen === false) return undefined;
    const minutes = Math.round(openAfterMs / 60_000);
    if (isOpen) return `its door was not closed for ${minutes} min`;
    const isLeftOpen = autoLockSeconds === 0 && statuses.get(lockId).state === 'unlocked';
    return isLeftOpen ? `it has no auto lock and was not locked for ${minutes} min` : undefined;
  }

  return {
    heard(lockId: LockId, { epoch, events }: EventsReport): void {
      for (const { seq, type } of events) {
        if (type !== 'door-open' && type !== 'door-close') continue;
        const door = doorOf(lockId);
        // What is sent again, or fills a gap, happened before.
        if (door.epoch === epoch && door.seq >= seq) continue;
        const isOpen = type === 'door-open';
        Object.assign(door, { isOpen, epoch, seq, since: isOpen ? clock.monotonic() : undefined });
      }
    },
    /** Call it every few seconds while the lock is online. */
    look(lock: Lock, now: number): void {
      const door = doorOf(lock.lockId);
      const reason = reasonOf(lock, door);
      if (reason === undefined) {
        door.since = undefined;
        alarms.clear(kind, lock.lockId);
        return;
      }
      door.since ??= now;
      if (now - door.since >= openAfterMs) alarms.raise(kind, lock.lockId, { reason });
    },
    forget: (lockId: LockId): void => void doors.delete(lockId),
  };
}
