// When a battery is low, and when it is not any more.
import type { LockId } from '../locks/lock.ts';
import type { LocalStatusView } from '../locks/lock-ports.ts';
import type { AlarmService } from './alarm-service.ts';

/** A battery whose level is so much higher than when the alarm began was replaced, and did not only get warmer. */
const batteryRisePercent = 5;

/** `lowBatteryPercent`: a battery below this level is low. */
export function createBatteryAlarms({
  statuses,
  alarms,
  lowBatteryPercent,
}: {
  readonly statuses: Pick<LocalStatusView, 'get'>;
  readonly alarms: Pick<AlarmService, 'raise' | 'clear' | 'active'>;
  readonly lowBatteryPercent: number;
}) {
  function low(lockId: LockId, reason: string): void {
    alarms.raise('low-battery', lockId, { reason, batteryPercent: statuses.get(lockId).batteryPercent ?? 0 });
  }
  return {
    /** The lock has said itself that it has too little power. */
    low,
    levelReported(lockId: LockId, batteryPercent: number): void {
      if (batteryPercent < lowBatteryPercent) {
        low(lockId, `its battery is at ${batteryPercent} percent`);
        return;
      }
      const begunAt = alarms.active('low-battery', lockId)?.batteryPercent ?? 0;
      const enough = Math.max(lowBatteryPercent, begunAt) + batteryRisePercent;
      if (batteryPercent >= Math.min(100, enough)) alarms.clear('low-battery', lockId);
    },
    criticalReported(lockId: LockId, isCritical: boolean): void {
      if (isCritical) low(lockId, 'it says that its battery is low');
      else if ((statuses.get(lockId).batteryPercent ?? 100) >= lowBatteryPercent) alarms.clear('low-battery', lockId);
    },
  };
}
