// The body of a callback: a form with the records of one lock.
import { type LockId, macOf } from '../../domain/locks/lock.ts';
import type { LocalLockView, LocalRemovedLockView, LocalStatusView } from '../../domain/locks/lock-ports.ts';
import { maskedCredential } from '../../domain/records/passcode-privacy.ts';
import type { WebhookBodies } from '../../domain/webhooks/webhook-ports.ts';
import { ttlockRecordView } from './record-view.ts';

const recordsAtMost = 20;
/** Of a lock that has never reported its battery. */
const unknownBattery = -1;

export function createCallbackBodies({
  locks,
  removedLocks,
  statuses,
}: {
  readonly locks: Pick<LocalLockView, 'get'>;
  readonly removedLocks: Pick<LocalRemovedLockView, 'get'>;
  readonly statuses: Pick<LocalStatusView, 'get'>;
}): WebhookBodies {
  function lockMacOf(lockId: LockId | null): string {
    const lock = lockId === null ? undefined : (locks.get(lockId) ?? removedLocks.get(lockId));
    return lock === undefined ? '' : macOf(lock.deviceId);
  }
  return {
    atOnce: recordsAtMost,
    /** One item of `records`. It leaves the gateway, so it has no passcode, whoever gets it. */
    event(event) {
      const record = event.type === 'record' ? ttlockRecordView(event.record, maskedCredential(event.record)) : undefined;
      if (record === undefined) return '';
      const electricQuantity = statuses.get(record.lockId).batteryPercent ?? unknownBattery;
      return JSON.stringify({ ...record, lockMac: lockMacOf(record.lockId), electricQuantity });
    },
    test: () => '',
    request(deliveries, admin) {
      const { lockId } = deliveries[0] ?? { lockId: null };
      const records = `[${deliveries.map(({ body }) => body).join()}]`;
      return String(new URLSearchParams({ lockId: `${lockId ?? 0}`, notifyType: '1', admin, lockMac: lockMacOf(lockId), records }));
    },
  };
}
