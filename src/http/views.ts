// Domain values out to the specification's names (Specification 2, HTTP API 3, 4 and 6). Nothing else decides what a client sees.

import type { Account, Caller } from '../domain/account.ts';
import type { TokenView } from '../domain/account-service.ts';
import { type Alarm, endsByPerson } from '../domain/alarm.ts';
import type { Card, CardOnLock } from '../domain/card.ts';
import type { AuditEntry } from '../domain/deed.ts';
import type { IssuedHubKey, ManagedHub } from '../domain/hub-service.ts';
import type { LiveEvent } from '../domain/live-event.ts';
import { type BatteryLevel, type DeviceId, type LockId, type LockSettings, macOf } from '../domain/lock.ts';
import type { HelloReport } from '../domain/lock-report.ts';
import type { LockView, MoveResult } from '../domain/lock-service.ts';
import type { Page } from '../domain/page.ts';
import type { PendingDevice } from '../domain/pairing-service.ts';
import { type LockRecord, recordLabel } from '../domain/record.ts';
import type { IssuedKey, ManagedLock } from '../domain/registration-service.ts';
import type { Attempt, WebhookEvent } from '../domain/webhook.ts';
import type { TriedDelivery } from '../domain/webhook-courier.ts';
import type { IssuedSecret, WebhookView } from '../domain/webhook-service.ts';
import type { AnswerBody } from './answers.ts';

/** Specification 2.4: the envelope, its items each through `view`. */
export function pageView<T, View>(page: Page<T>, view: (item: T) => View) {
  const { list, pageNo, pageSize, pages, total } = page;
  return { list: list.map(view), pageNo, pageSize, pages, total };
}

/** The eleven fields of Specification 2.1's list; lockData only for the lock's administrator. */
export function lockItemView({ lock, status, callerIsAdministrator }: LockView): AnswerBody<'Lock'> {
  return {
    lockId: lock.lockId,
    lockName: lock.name,
    lockAlias: lock.alias,
    lockMac: macOf(lock.deviceId),
    electricQuantity: status.batteryPercent ?? -1,
    featureValue: lock.featureValue,
    hasGateway: lock.hubId === null ? 0 : 1,
    lockData: callerIsAdministrator ? lock.lockData : '',
    groupId: lock.groupId,
    groupName: lock.groupName,
    date: lock.initialisedAt,
  };
}

/** The twenty fields of Specification 2.1. For the lock's administrator only: it shows the super passcode. */
export function lockDetailView({ lock, status }: LockView): AnswerBody<'LockDetail'> {
  return {
    lockId: lock.lockId,
    lockName: lock.name,
    lockAlias: lock.alias,
    lockMac: macOf(lock.deviceId),
    noKeyPwd: lock.superPasscode,
    electricQuantity: status.batteryPercent ?? -1,
    featureValue: lock.featureValue,
    timezoneRawOffset: lock.timezoneOffsetMs,
    modelNum: lock.modelNum,
    hardwareRevision: lock.hardwareRevision,
    firmwareRevision: lock.firmwareRevision,
    autoLockTime: lock.autoLockSeconds,
    ...settingsView(lock.settings),
    date: lock.initialisedAt,
  };
}

function settingsView(settings: LockSettings): LockSettings {
  const { lockSound, privacyLock, tamperAlert, resetButton, openDirection, passageMode, passageModeAutoUnlock } = settings;
  return { lockSound, privacyLock, tamperAlert, resetButton, openDirection, passageMode, passageModeAutoUnlock };
}

/** Specification 3: whether the bolt moved; the lock's own word when it could not. */
export function moveView(result: MoveResult): AnswerBody<'Moved'> {
  return result.success ? { success: true } : { success: false, reason: result.reason };
}

/** Specification 4.1 lock/battery. */
export function batteryView(percent: number): AnswerBody<'Battery'> {
  return { BatteryPercentage: percent };
}

/** HTTP API 4 lock/battery-history. */
export function batteryLevelView({ at, percent }: BatteryLevel): AnswerBody<'BatteryLevel'> {
  return { reportDate: at, electricQuantity: percent };
}

/** The eight fields of Specification 2.2. */
export function recordView(record: LockRecord): AnswerBody<'LockRecord'> {
  return {
    recordId: record.recordId,
    lockId: record.lockId,
    serverDate: record.serverDate,
    recordType: recordLabel(record.type),
    success: record.success ? 1 : 0,
    keyboardPwd: record.credential,
    lockDate: record.lockDate,
    username: record.username,
  };
}

/** The eight fields of Specification 2.3. */
export function cardView(card: Card): AnswerBody<'Card'> {
  return {
    cardId: card.cardId,
    lockId: card.lockId,
    cardNumber: card.cardNumber,
    cardName: card.name,
    startDate: card.startDate,
    endDate: card.endDate,
    createDate: card.createdAt,
    senderUsername: card.createdBy,
  };
}

/** The second representation of Specification 2.3; keyboardPwdType 2 always valid, 3 period (HTTP API 4). */
export function cardDetailView(card: Card): AnswerBody<'CardDetail'> {
  return {
    keyboardPwdId: card.cardId,
    lockId: card.lockId,
    keyboardPwd: card.cardNumber,
    keyboardPwdName: card.name,
    keyboardPwdType: card.startDate === 0 && card.endDate === 0 ? 2 : 3,
    startDate: card.startDate,
    endDate: card.endDate,
    sendDate: card.createdAt,
    senderUsername: card.createdBy,
  };
}

/** Specification 4.2 identity-card/add. */
export function addedCardView(cardId: number): AnswerBody<'AddedCard'> {
  return { keyboardPwdId: cardId };
}

/** HTTP API 4 identity-card/on-lock: what the lock holds, and whether the gateway knows it. */
export function cardOnLockView({
  cardNumber,
  startDate,
  endDate,
  known,
}: CardOnLock & { readonly known: boolean }): AnswerBody<'CardOnLock'> {
  return { cardNumber, startDate, endDate, known };
}

/** A lock as a gateway administrator sees it: neither super passcode nor lockData, which are the lock administrator's. */
export function managedLockView({ lock, status, online, administrator }: ManagedLock): AnswerBody<'ManagedLock'> {
  return {
    lockId: lock.lockId,
    deviceId: lock.deviceId,
    lockMac: macOf(lock.deviceId),
    lockName: lock.name,
    lockAlias: lock.alias,
    groupId: lock.groupId,
    groupName: lock.groupName,
    timezoneRawOffset: lock.timezoneOffsetMs,
    electricQuantity: status.batteryPercent ?? -1,
    online,
    lastSeen: status.lastSeenAt,
    hubId: lock.hubId,
    administrator,
    date: lock.initialisedAt,
  };
}

/** HTTP API 6: the key of a lock, shown once. */
export function issuedKeyView({ lockId, deviceId, deviceKey }: IssuedKey): AnswerBody<'IssuedKey'> {
  return { lockId, deviceId, deviceKey };
}

/** A hub; `locks` is how many are bound to it. */
export function hubView({ hub, online, locks }: ManagedHub): AnswerBody<'Hub'> {
  const { deviceId, name, createdAt } = hub;
  return { deviceId, mac: macOf(deviceId), name, online, locks, date: createdAt };
}

/** HTTP API 6: the key of a hub, shown once. */
export function issuedHubKeyView({ deviceId, deviceKey }: IssuedHubKey): AnswerBody<'IssuedHubKey'> {
  return { deviceId, deviceKey };
}

/** When the pairing that is open closes by itself. */
export function pairingView(closesAt: number): AnswerBody<'PairingWindow'> {
  return { closeDate: closesAt };
}

/** A device that waits to be confirmed; of its hello, what helps a person to recognise it. */
export function pendingDeviceView(device: PendingDevice): AnswerBody<'PendingDevice'> {
  const { deviceId, address, keyFingerprint, since, connected, contested, hello, replaces } = device;
  return {
    deviceId,
    lockMac: macOf(deviceId),
    address,
    keyFingerprint,
    since,
    connected,
    contested,
    hello: hello === undefined ? null : helloView(hello),
    replaces: replaces === undefined ? null : { lockId: replaces.lockId, lockName: replaces.name, online: replaces.online },
  };
}

function helloView({ modelNum, hardwareRevision, firmwareRevision, featureValue, state, battery }: HelloReport) {
  return {
    modelNum: modelNum ?? '',
    hardwareRevision: hardwareRevision ?? '',
    firmwareRevision: firmwareRevision ?? '',
    featureValue: featureValue ?? '',
    state: state ?? null,
    electricQuantity: battery ?? -1,
  };
}

/** HTTP API 6: a device that is a lock now; its key is its own, and not known here. */
export function confirmedView(deviceId: DeviceId, lockId: LockId): AnswerBody<'ConfirmedDevice'> {
  return { lockId, deviceId };
}

/** An account, by its name: ids of accounts stay inside. */
/** Who asks. */
export function callerView({ username, gatewayAdministrator }: Caller): AnswerBody<'SignedIn'> {
  return { username, gatewayAdministrator };
}

export function accountView({ username, gatewayAdministrator, createdAt }: Account): AnswerBody<'Account'> {
  return { username, gatewayAdministrator, createDate: createdAt };
}

/** A token without its secret; expireDate null: never. */
export function tokenView({ token, username }: TokenView): AnswerBody<'Token'> {
  return { tokenId: token.tokenId, username, name: token.name, createDate: token.createdAt, expireDate: token.expiresAt };
}

/** HTTP API 6: a new token, shown once. */
export function newTokenView({ token, secret }: TokenView & { readonly secret: string }): AnswerBody<'IssuedToken'> {
  return { tokenId: token.tokenId, token: secret };
}

/** An alarm that stands; lockId null: of the gateway itself. */
export function alarmView({ kind, lockId, since, reason }: Pick<Alarm, 'kind' | 'lockId' | 'since' | 'reason'>): AnswerBody<'Alarm'> {
  return { kind, lockId, since, reason, endsByItself: !endsByPerson(kind) };
}

/** A live event: what it says beside its type. */
export function liveEventView(event: LiveEvent): object {
  const { lockId } = event;
  switch (event.type) {
    case 'state':
      return { lockId, state: event.state, stateDate: event.stateAt };
    case 'battery':
      return { lockId, electricQuantity: event.batteryPercent };
    case 'online':
      return { lockId, online: event.online };
    case 'card':
      return { change: event.change, ...cardView(event.card) };
    case 'record':
      return recordView(event.record);
    case 'lock-gone':
      return { lockId };
    case 'alarm':
      return alarmView(event.alarm);
    case 'alarm-ended':
      return { kind: event.kind, lockId, since: event.since };
    case 'lock': {
      const { alias, role, online, state, stateAt, batteryPercent } = event;
      return { lockId, lockAlias: alias, role, online, state, stateDate: stateAt, electricQuantity: batteryPercent ?? -1 };
    }
  }
}

/** One deed of the audit log. */
export function auditView({ at, username, address, action, object, detail, outcome, missed = 0 }: AuditEntry): AnswerBody<'AuditEntry'> {
  return { date: at, username, address, action, object, detail, outcome, missed };
}

/** A webhook without its secret. */
export function webhookView({ webhook, username, waiting, failed, forgotten, failingSince }: WebhookView): AnswerBody<'Webhook'> {
  const { webhookId, name, url, eventTypes, lockIds, enabled, createdAt } = webhook;
  return {
    ...{ webhookId, username, name, url, eventTypes: [...eventTypes], lockIds: [...lockIds], enabled },
    ...{ waiting, failed, forgotten, failingSince, createDate: createdAt },
  };
}

/** The secret of a webhook, shown once. */
export function issuedSecretView({ webhookId, secret }: IssuedSecret): AnswerBody<'IssuedWebhookSecret'> {
  return { webhookId, secret };
}

/** What came of sending something once. */
export function attemptView({ delivered, status, reason, ms }: Attempt): AnswerBody<'WebhookAttempt'> {
  return { delivered, status, reason, ms };
}

/** A delivery without what it says: that is for the receiver. */
export function deliveryView({ id, type, lockId, at, progress, attempts, triedAt, status, reason }: TriedDelivery): AnswerBody<'Delivery'> {
  return { deliveryId: id, eventType: type, lockId, eventDate: at, progress, attempts, attemptDate: triedAt, status, reason };
}

interface DeliveryHead {
  readonly id: string;
  readonly at: number;
}

/** What a receiver is sent: the event as in live events, in an envelope. */
export function deliveryBody(event: WebhookEvent, { id, at }: DeliveryHead): string {
  return JSON.stringify({ deliveryId: id, eventType: event.type, eventDate: at, data: liveEventView(event) });
}

/** What a receiver is sent as a test. */
export function testBody({ id, at }: DeliveryHead): string {
  return JSON.stringify({ deliveryId: id, eventType: 'test', eventDate: at, data: {} });
}
