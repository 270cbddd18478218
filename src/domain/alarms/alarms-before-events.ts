// Makes the events of a lock wait until the alarms that they begin are on the disk; later events of the lock do not overtake them.
import type { LockId } from '../locks/lock.ts';

export interface AlarmsBeforeEvents {
  /**
   * `stored` resolves when the alarms of these events are on the disk; undefined: there are none. The caller must await the result, as its
   * first reaction, before it stores the events; undefined: it may store them now. Rejects as `stored` does.
   */
  wait(lockId: LockId, stored: Promise<void> | undefined): Promise<void> | undefined;
}

export function createAlarmsBeforeEvents(): AlarmsBeforeEvents {
  /** For each lock whose events wait, a promise of when they may go on; never rejects. */
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
      // This runs after the reaction of the caller that awaits `both`: otherwise events in between would overtake.
      void passed.then(() => {
        if (waiting.get(lockId) === passed) waiting.delete(lockId);
      });
      return both;
    },
  };
}
