// Which locks have a passcode with a schedule that was put on them directly: those that an edit of the schedule reaches.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { HoursOfSchedule } from '../people/schedule-hours.ts';
import type { Entry } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { isUnsure } from './lock-entries.ts';

export interface DirectSchedules {
  /**
   * By no order; never rejects: a lock whose entries cannot be read is left out. Cost: the first call of a process reads the entries of all
   * locks, the others read the locks that had this schedule when they were last looked at.
   */
  locksWith(scheduleId: number): Promise<readonly LockId[]>;
}

/** Subscribes for as long as the process lives. */
export function createDirectSchedules(options: {
  readonly events: Pick<EventBus, 'subscribe' | 'emit'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly locks: Pick<LockStore, 'all'>;
  readonly hoursOfSchedule: HoursOfSchedule;
}): DirectSchedules {
  const { events, entries, locks, hoursOfSchedule } = options;
  /** The locks that may have each schedule. */
  const perhaps = new Map<number, Set<LockId>>();
  const unread = new Set<LockId>();
  let reading: Promise<void> | undefined;

  function note({ lockId, scheduleId }: Entry): void {
    if (scheduleId === null) return;
    const ofSchedule = perhaps.get(scheduleId);
    if (ofSchedule === undefined) perhaps.set(scheduleId, new Set([lockId]));
    else ofSchedule.add(lockId);
  }
  async function read(lockId: LockId): Promise<void> {
    unread.delete(lockId);
    try {
      for (const entry of (await entries.of(lockId)).entries) note(entry);
    } catch {
      unread.add(lockId);
    }
  }
  async function readAll(): Promise<void> {
    for (const { lockId } of locks.all()) await read(lockId);
  }

  events.subscribe('entry-changed', ({ before, after }) => {
    if (after === undefined || after.scheduleId === null) return;
    note(after);
    // The schedule was edited while this passcode was on its way.
    const isStale = after.direct !== null && after.direct !== before?.direct && !isHoursOf(after.direct.hours, after.scheduleId);
    if (isStale) events.emit('wanted-changed', { lockIds: [after.lockId] });
  });
  function isHoursOf(hours: string, scheduleId: number): boolean {
    return (hoursOfSchedule(scheduleId) ?? hours) === hours;
  }

  return {
    async locksWith(scheduleId) {
      reading ??= readAll();
      await reading;
      for (const lockId of [...unread]) await read(lockId);
      const found: LockId[] = [];
      for (const lockId of [...(perhaps.get(scheduleId) ?? [])]) {
        const there = await entries.of(lockId).catch(() => undefined);
        if (there === undefined) continue;
        if (there.entries.some((entry) => entry.scheduleId === scheduleId && isWanted(entry))) found.push(lockId);
        else perhaps.get(scheduleId)?.delete(lockId);
      }
      return found;
    },
  };
}

/** Somebody wants it on the lock, or is adding it. */
function isWanted({ direct, held, used }: Entry): boolean {
  return !used && (direct !== null || (held !== null && isUnsure({ held }) && held.window !== null));
}
