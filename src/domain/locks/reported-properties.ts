// What a lock says of itself: its model, its versions and its settings.
import type { Lock, LockFeatures, LockSettings } from './lock.ts';
import type { HelloReport } from './lock-report.ts';

/** What a lock says of itself that the gateway stores. */
export type ReportedProperties = Pick<
  HelloReport,
  'modelNum' | 'hardwareRevision' | 'firmwareRevision' | 'featureValue' | 'autoLockTime' | 'settings' | 'features'
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
  const features = report.features === undefined ? lock.features : saidBy(report.features);
  const isSame = sameMembers(reported, lock) && sameMembers(settings, lock.settings) && sameFeatures(features, lock.features);
  if (isSame) return lock;
  const { features: _, ...rest } = lock;
  return { ...rest, ...reported, settings, ...(features !== undefined && { features }) };
}

/** undefined: it says nothing of what it can do. */
function saidBy(said: LockFeatures): LockFeatures | undefined {
  return said.features.length === 0 && Object.keys(said.limits).length === 0 ? undefined : said;
}

function sameFeatures(one: LockFeatures | undefined, other: LockFeatures | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function sameMembers<T extends object>(part: T, whole: T): boolean {
  return (Object.keys(part) as (keyof T)[]).every((member) => part[member] === whole[member]);
}
