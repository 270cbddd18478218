// What a lock says of itself: its model, its versions and its settings.
import type { Lock, LockSettings } from './lock.ts';
import type { HelloReport } from './lock-report.ts';

/** What a lock says of itself that the gateway stores. */
export type ReportedProperties = Pick<
  HelloReport,
  'modelNum' | 'hardwareRevision' | 'firmwareRevision' | 'featureValue' | 'autoLockTime' | 'settings'
>;

/** The lock with its report; the very same object when nothing is new, so that a reconnect storm writes nothing. */
export function withReported(lock: Lock, report: ReportedProperties): Lock {
  const settings: LockSettings = { ...lock.settings, ...report.settings };
  const reported = {
    modelNum: report.modelNum ?? lock.modelNum,
    hardwareRevision: report.hardwareRevision ?? lock.hardwareRevision,
    firmwareRevision: report.firmwareRevision ?? lock.firmwareRevision,
    featureValue: report.featureValue ?? lock.featureValue,
    autoLockSeconds: report.autoLockTime ?? lock.autoLockSeconds,
  };
  return sameMembers(reported, lock) && sameMembers(settings, lock.settings) ? lock : { ...lock, ...reported, settings };
}

function sameMembers<T extends object>(part: T, whole: T): boolean {
  return (Object.keys(part) as (keyof T)[]).every((member) => part[member] === whole[member]);
}
