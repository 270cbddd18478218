// Samples for tests: a lock, a card, an event.

import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import type { Card, CardId } from '../../../../src/domain/credentials/card.ts';
import { nativeDriver } from '../../../../src/domain/locks/hub.ts';
import { type DeviceId, type Lock, type LockId, unknownSettings } from '../../../../src/domain/locks/lock.ts';
import type { RemovedLock } from '../../../../src/domain/locks/removed-lock.ts';
import type { RecordDraft } from '../../../../src/domain/records/record.ts';
import type { StoredWebhook, WebhookId } from '../../../../src/domain/webhooks/webhook.ts';

/** The day before the one on which the manual clock begins. */
const yesterday = Date.UTC(2026, 10, 20);

export const lockId = (number: number): LockId => number as LockId;
export const deviceId = (number: number): DeviceId => number.toString(16).padStart(12, '0') as DeviceId;

export function sampleLock(number: number, changes: Partial<Lock> = {}): Lock {
  return {
    lockId: lockId(number),
    deviceId: deviceId(number),
    name: `Lock ${number}`,
    alias: `Door ${number}`,
    superPasscode: '123456',
    lockData: '',
    groupId: 0,
    groupName: '',
    timezoneOffsetMs: 3_600_000,
    featureValue: 'F44354CF5F3',
    modelNum: 'SN-9',
    hardwareRevision: '1.3',
    firmwareRevision: '6.5.07',
    autoLockSeconds: 5,
    settings: unknownSettings,
    initialisedAt: 1_767_225_600_000,
    administrator: 1 as AccountId,
    roles: [{ accountId: 2 as AccountId, role: 'operator' }],
    driver: nativeDriver(deviceId(number), null, 'ab'.repeat(32)),
    ...changes,
  };
}

/** The same lock, bound to a hub. */
export function sampleLockBehind(number: number, hubId: DeviceId | null): Lock {
  return sampleLock(number, { driver: nativeDriver(deviceId(number), hubId, 'ab'.repeat(32)) });
}

export function sampleRemovedLock(number: number, changes: Partial<RemovedLock> = {}): RemovedLock {
  const { lockId: id, deviceId: device, name, alias, administrator } = sampleLock(number);
  return { lockId: id, deviceId: device, name, alias, administrator, removedAt: 1_767_225_700_000, removedBy: 0 as AccountId, ...changes };
}

export function sampleCard(number: number, lock: number, changes: Partial<Card> = {}): Card {
  return {
    cardId: number as CardId,
    lockId: lockId(lock),
    cardNumber: `00${number}`,
    name: `Card ${number}`,
    startDate: 0,
    endDate: 0,
    createdAt: 1_767_225_600_000,
    createdBy: 'admin',
    ...changes,
  };
}

export function sampleEvent(seq: number, changes: Partial<RecordDraft> = {}): RecordDraft {
  return {
    seq,
    type: 'card-unlock',
    success: true,
    credential: '1325672378',
    username: 'Zoë "the" ünïcode 🔑',
    lockDate: yesterday + seq * 1_000,
    serverDate: yesterday + 500 + seq * 1_000,
    ...changes,
  };
}

/** Events with the seqs from..to, both included. */
export function sampleEvents(from: number, to: number): RecordDraft[] {
  return Array.from({ length: to - from + 1 }, (_, n) => sampleEvent(from + n));
}

export const everything = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1_000 };

/** Of account 1: it gets every event, and has had none yet. */
export function sampleWebhook(number: number): StoredWebhook {
  return {
    webhook: {
      webhookId: number as WebhookId,
      accountId: 1 as AccountId,
      name: `Webhook ${number}`,
      url: 'http://10.0.0.7/doors',
      secret: `hook-${number}`,
      eventTypes: [],
      lockIds: [],
      enabled: true,
      createdAt: 1_767_225_600_000,
    },
    progress: { position: 0, behind: [], waiting: [], failed: [], forgotten: 0, alarms: [] },
  };
}
