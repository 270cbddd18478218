// The events of a lock wait until the alarms that they begin are on the disk, and those behind them do not overtake them.
import type { LockId } from '../locks/lock.ts';

export interface AlarmsBeforeEvents {
  /**
   * `stored`: until the alarms of these events are on the disk; undefined: there are none. What it returns must be awaited, by its first
   * reaction, before the events are stored; undefined: they may be stored now. Rejects as `stored`.
   */
  wait(lockId: LockId, stored: Promise<void> | undefined): Promise<void> | undefined;
}

export function createAlarmsBeforeEvents(): AlarmsBeforeEvents {
  /** Until when the events of a lock wait; never rejects. */
  const waiting = new Map<LockId, Promise<void>>();

  return {
    wait(lockId, stored) {
      const before = waiting.get(lockId);
      if (stored === undefined && before === undefined) return undefined;
      const both = Promise.all([before, stored]).then(() => undefined);
      const passed = both.then(
        () => undefined,
        () => undefined,
      );
      waiting.set(lockId, passed);
      // Behind the reaction of whoever awaits `both`: what comes in between would overtake.
      void passed.then(() => {
        if (waiting.get(lockId) === passed) waiting.delete(lockId);
      });
      return both;
    },
  };
}
