// Turns domain values into the answers of the specification (Specification 2, HTTP API 5 and 6) and into live events. Only this
// file, webhook-views.ts and management-views.ts decide what a client sees.

import { type Alarm, endsByPerson } from '../../domain/alarms/alarm.ts';
import type { Card, CardOnLock } from '../../domain/credentials/card.ts';
import type { LiveEvent } from '../../domain/events/live-event.ts';
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import { hubOf } from '../../domain/locks/hub.ts';
import { type BatteryLevel, type LockSettings, macOf } from '../../domain/locks/lock.ts';
import type { BoltResult, LockView } from '../../domain/locks/lock-service.ts';
import type { Page } from '../../domain/page.ts';
import { maskedCredential } from '../../domain/records/passcode-privacy.ts';
import { type LockRecord, recordLabel } from '../../domain/records/record.ts';
import { entryNewsView } from './entry-schemas.ts';
import type { EventBody } from './event-schemas.ts';
import { suggestionView } from './reader-schemas.ts';
import type { ResponseBody } from './response-schemas.ts';
import { revocationSummaryView } from './revocation-schemas.ts';

/** Specification 2.4: the envelope of a page; `view` makes each item. */
export function pageView<T, View>(page: Page<T>, view: (item: T) => View) {
  const { list, pageNo, pageSize, pages, total } = page;
  return { list: list.map(view), pageNo, pageSize, pages, total };
}

/** The eleven fields of Specification 2.1's list; lockData only for the lock's administrator. */
export function lockItemView({ lock, status, callerIsAdministrator }: LockView): ResponseBody<'Lock'> {
  return {
    lockId: lock.lockId,
    lockName: lock.name,
    lockAlias: lock.alias,
    lockMac: macOf(lock.deviceId),
    electricQuantity: status.batteryPercent ?? -1,
    featureValue: lock.featureValue,
    hasGateway: hubOf(lock) === null && lock.driver.keyHash !== null ? 0 : 1,
    lockData: callerIsAdministrator ? lock.lockData : '',
    groupId: lock.groupId,
    groupName: lock.groupName,
    date: lock.initialisedAt,
  };
}

/** The twenty fields of Specification 2.1. For the lock's administrator only: it shows the super passcode. */
export function lockDetailView({ lock, status }: LockView): ResponseBody<'LockDetail'> {
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

/** Specification 3, HTTP API 5.3: whether the bolt moved, or the lock's own reason why it could not. */
export function boltView(result: BoltResult): ResponseBody<'Moved'> {
  return result.success ? { success: true } : { success: false, reason: result.reason };
}

/** Specification 4.1 lock/battery. */
export function batteryView(percent: number): ResponseBody<'Battery'> {
  return { BatteryPercentage: percent };
}

/** HTTP API 5.6 lock/battery-history. */
export function batteryLevelView({ at, percent }: BatteryLevel): ResponseBody<'BatteryLevel'> {
  return { reportDate: at, electricQuantity: percent };
}

/** The eight fields of Specification 2.2, without passcodes: for everybody, and everything that leaves the gateway by itself. */
export function recordView(record: LockRecord): ResponseBody<'LockRecord'> {
  return recordFields(record, maskedCredential(record));
}

/** The same for the administrator of the lock, who may know its passcodes. */
export function wholeRecordView(record: LockRecord): ResponseBody<'LockRecord'> {
  return recordFields(record, record.credential);
}

function recordFields(record: LockRecord, keyboardPwd: string): ResponseBody<'LockRecord'> {
  return {
    recordId: record.recordId,
    lockId: record.lockId,
    serverDate: record.serverDate,
    recordType: recordLabel(record.type),
    success: record.success ? 1 : 0,
    keyboardPwd,
    lockDate: record.lockDate,
    username: record.username,
  };
}

/** The eight fields of Specification 2.3. */
export function cardView(card: Card): ResponseBody<'Card'> {
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

/** The second representation of Specification 2.3; keyboardPwdType 2 always valid, 3 period (HTTP API 6.6). */
export function cardDetailView(card: Card): ResponseBody<'CardDetail'> {
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
export function addedCardView(cardId: number): ResponseBody<'AddedCard'> {
  return { keyboardPwdId: cardId };
}

/** HTTP API 6.7 identity-card/on-lock: a card that the lock holds, and whether the gateway knows it. */
export function cardOnLockView(card: CardOnLock & { readonly known: boolean }): ResponseBody<'CardOnLock'> {
  const { cardNumber, startDate, endDate, known } = card;
  return { cardNumber, startDate, endDate, known };
}

/** An active alarm; lockId null: of the gateway itself. */
export function alarmView({ kind, lockId, since, reason }: Pick<Alarm, 'kind' | 'lockId' | 'since' | 'reason'>): ResponseBody<'Alarm'> {
  return { kind, lockId, since, reason, endsByItself: !endsByPerson(kind) };
}

/** The data of a live event, without its type. */
export function liveEventView(event: LiveEvent): object {
  switch (event.type) {
    case 'state':
      return {
        lockId: event.lockId,
        state: event.state,
        stateDate: event.stateAt,
        autoLockAt: event.autoLockAt,
      } satisfies EventBody<'StateEvent'>;
    case 'state-sure':
      return { lockId: event.lockId, stateSure: event.sure } satisfies EventBody<'StateSureEvent'>;
    case 'battery':
      return { lockId: event.lockId, electricQuantity: event.batteryPercent } satisfies EventBody<'BatteryEvent'>;
    case 'online':
      return { lockId: event.lockId, online: event.online } satisfies EventBody<'OnlineEvent'>;
    case 'card':
      return { change: event.change, ...cardView(event.card) } satisfies EventBody<'CardEvent'>;
    case 'record':
      return recordView(event.record);
    case 'entry':
      return entryNewsView(event);
    case 'suggestion':
      return suggestionView(event.suggestion);
    case 'revocation':
      return revocationSummaryView(event.report);
    case 'lock-gone':
      return { lockId: event.lockId } satisfies EventBody<'LockGone'>;
    case 'alarm':
      return alarmView(event.alarm);
    case 'alarm-ended':
      return { kind: event.kind, lockId: event.lockId, since: event.since } satisfies EventBody<'AlarmEnded'>;
    case 'lock': {
      const { alias, role, online, state, stateAt, stateSure, autoLockAt, batteryPercent, capabilities } = event;
      const sight = {
        lockId: event.lockId,
        lockAlias: alias,
        role,
        online,
        state,
        stateDate: stateAt,
        stateSure,
        autoLockAt,
        electricQuantity: batteryPercent ?? -1,
        capabilities: capabilitiesView(capabilities),
      };
      return sight satisfies EventBody<'LockInSight'>;
    }
  }
}

/** HTTP API 8.1: what holds for a lock of its make. */
export function capabilitiesView({ warnings, ...held }: Capabilities): ResponseBody<'Capabilities'> {
  return { ...held, warnings: [...warnings] };
}
