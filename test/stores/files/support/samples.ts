// Samples for tests: a lock, a card, an event.

import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import type { CardId } from '../../../../src/domain/credentials/card.ts';
import { always, type Entry } from '../../../../src/domain/credentials/entry.ts';
import { nativeDriver } from '../../../../src/domain/locks/hub.ts';
import { type DeviceId, type Lock, type LockId, unknownSettings } from '../../../../src/domain/locks/lock.ts';
import type { RemovedLock } from '../../../../src/domain/locks/removed-lock.ts';
import type { ImportStep, StoredImport } from '../../../../src/domain/people/import-ports.ts';
import type { CredentialId, GrantId, Person, PersonId, Schedule, ScheduleId } from '../../../../src/domain/people/person.ts';
import type { RecordDraft } from '../../../../src/domain/records/record.ts';
import type { Revocation, RevocationId } from '../../../../src/domain/revocations/revocation.ts';
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

/** A card that was put on the lock directly, and that it holds. */
export function sampleEntry(number: number, lock: number, changes: Partial<Entry> = {}): Entry {
  const createdAt = 1_767_225_600_000;
  return {
    ...{ entryId: number as CardId, lockId: lockId(lock), kind: 'card', number: `00${number}`, name: `Card ${number}` },
    ...{ createdAt, createdBy: 'admin', managed: true, direct: always, credentialId: null },
    held: { window: always, sure: true, since: createdAt, basis: 'reply', basisDate: createdAt },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
    ...changes,
  };
}

/** A card that the lock was asked to add; it has not answered. */
export function unsureEntry(number: number, lock: number, changes: Partial<Entry> = {}): Entry {
  const at = 1_767_225_600_000;
  const held = { window: always, sure: false, before: null, since: at, basis: 'reply', basisDate: at } as const;
  return sampleEntry(number, lock, { direct: null, held, ...changes });
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

/** With a card, a passcode and a grant, whose ids all follow from the number; their numbers, too. */
export function samplePerson(number: number, changes: Partial<Person> = {}): Person {
  const made = { createdAt: 1_767_225_600_000, createdBy: 'admin' };
  const credential = { width: null, startDate: 0, endDate: 0, lost: null, once: false, ...made };
  const [card, passcode] = [number * 2 - 1, number * 2] as CredentialId[];
  return {
    personId: number as PersonId,
    externalId: `HR-${number}`,
    name: `Person ${number}`,
    note: '',
    suspended: false,
    removed: false,
    ...made,
    credentials: [
      { ...credential, credentialId: card as CredentialId, kind: 'card', number: `${5_550_000 + number}`, name: 'blue fob' },
      { ...credential, credentialId: passcode as CredentialId, kind: 'passcode', number: `0${90_000 + number}`, name: 'code' },
    ],
    grants: [
      {
        ...{ grantId: number as GrantId, lockIds: [lockId(7)], groupIds: [2], startDate: 0, endDate: 0, excluded: [], ...made },
        scheduleId: 1 as ScheduleId,
      },
    ],
    ...changes,
  };
}

export function sampleRevocation(number: number): Revocation {
  return {
    ...{ revocationId: number as RevocationId, credentialId: 1 as CredentialId, personId: 1 as PersonId, kind: 'card' },
    ...{ numbers: [`${5_550_000 + number}`], lostDate: 1_767_225_600_000, reason: 'in town', by: 'admin', lockIds: [lockId(7)] },
    ...{ certainDate: null, foundDate: null },
  };
}

export function sampleSchedule(number: number): Schedule {
  return { scheduleId: number as ScheduleId, name: `Schedule ${number}`, hours: [{ days: [1, 2, 3, 4, 5], from: 420, to: 1_140 }] };
}

export function sampleImport(number: number): StoredImport {
  return {
    ...{ importId: String(number).padStart(16, '0'), plan: 'a'.repeat(64), surroundings: 'b'.repeat(64), absent: 'revoke' },
    ...{ doors: [{ header: 'Front door', key: 'lock:7' }], createdAt: number, createdBy: 'admin', lines: 3, changes: 2 },
    counts: { added: 1, updated: 1, unchanged: 1, extraneous: 0 },
    locks: [{ lockId: lockId(7), added: 1, removed: 1, different: 0 }],
    ...{ removesMoreThanAQuarter: false, widened: [lockId(7)], state: 'planned', changedAt: number },
    appliedBy: { accountId: 1 as AccountId, username: 'admin', tokenId: null },
    conflicts: [{ line: 2, personId: 1 as PersonId, message: 'has changed' }],
    ...{ conflictCount: 1, reason: 'the role is gone' },
  };
}

export const sampleSteps: readonly ImportStep[] = [
  {
    ...{ line: 2, personId: 1 as PersonId, base: 'c'.repeat(64) },
    target: {
      ...{ externalId: 'HR-1', name: 'Erika M.' },
      credentials: [1 as CredentialId, { kind: 'card', number: '5550001', name: '', startDate: 0, endDate: 0 }],
      grants: [{ grantId: null, lockIds: [lockId(7)], groupIds: [2], startDate: 0, endDate: 0, scheduleId: 3 as ScheduleId }],
    },
  },
  { line: null, personId: null, base: null, target: null },
];
