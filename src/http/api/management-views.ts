// Turns domain values into the answers of the management API (HTTP API 8). The views of locks, cards and live events are in views.ts.

import type { Account, Caller } from '../../domain/accounts/account.ts';
import type { TokenView } from '../../domain/accounts/account-lists.ts';
import type { AuditEntry } from '../../domain/audit/audit-action.ts';
import type { AnnouncedDevice, BridgeStatus } from '../../domain/locks/bridges.ts';
import { hubOf, type IssuedHubKey, type ManagedHub } from '../../domain/locks/hub.ts';
import { type DeviceId, type LockId, macOf, nativeKind } from '../../domain/locks/lock.ts';
import type { Removal, RemovedLockView } from '../../domain/locks/lock-removal.ts';
import type { HelloReport } from '../../domain/locks/lock-report.ts';
import type { ManagedLock } from '../../domain/locks/managed-locks.ts';
import type { IssuedKey } from '../../domain/locks/new-lock.ts';
import type { PendingDevice } from '../../domain/locks/pairing.ts';
import { strangersOf } from '../../domain/locks/strangers.ts';
import type { ResponseBody } from './response-schemas.ts';
import { capabilitiesView } from './views.ts';

/** A lock as a gateway administrator sees it: without super passcode and lockData, which only the lock's administrator may see. */
export function managedLockView({ lock, status, online, administrator, capabilities, access }: ManagedLock): ResponseBody<'ManagedLock'> {
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
    hubId: hubOf(lock),
    driver: lock.driver.kind === nativeKind ? null : { kind: lock.driver.kind, ...lock.driver.options },
    capabilities: capabilitiesView(capabilities),
    strangers: strangersOf(lock),
    administrator,
    cardsOnLock: status.cardsOnLock,
    date: lock.initialisedAt,
    ...(access && { access: { gained: access.gained, lost: access.lost } }),
  };
}

/** HTTP API 8.1: the lock is removed; `cardsOnLock` is how many cards may still open it. */
export function removalView({ cardsOnLock }: Removal): ResponseBody<'Removal'> {
  return { success: true, cardsOnLock };
}

/** HTTP API 8.1: what the gateway still stores of a removed lock. */
export function removedLockView({ removed, administrator, removedBy }: RemovedLockView): ResponseBody<'RemovedLock'> {
  const { lockId, deviceId, name, alias, removedAt } = removed;
  const lockMac = macOf(deviceId);
  return { lockId, deviceId, lockMac, lockName: name, lockAlias: alias, administrator, removeDate: removedAt, removedBy };
}

/** HTTP API 8.1 and 8.10: the key of a lock, or the login of one of another make, shown once; over a bridge there is neither. */
export function issuedKeyView({ lockId, deviceId, deviceKey, mqtt }: IssuedKey): ResponseBody<'IssuedKey'> {
  return { lockId, deviceId, ...(deviceKey !== undefined && { deviceKey }), ...(mqtt && { mqtt: loginView(mqtt) }) };
}

function loginView({ host, port, tlsPort, username, password }: NonNullable<IssuedKey['mqtt']>) {
  return { host, port, tlsPort, username, password };
}

/** A hub; `locks` is how many locks are bound to it. */
export function hubView({ hub, online, locks }: ManagedHub): ResponseBody<'Hub'> {
  const { deviceId, name, createdAt } = hub;
  return { deviceId, mac: macOf(deviceId), name, online, locks, date: createdAt };
}

/** HTTP API 8.2: the key of a hub, shown once. */
export function issuedHubKeyView({ deviceId, deviceKey }: IssuedHubKey): ResponseBody<'IssuedHubKey'> {
  return { deviceId, deviceKey };
}

/** When the open pairing closes by itself. */
export function pairingView(closesAt: number): ResponseBody<'PairingWindow'> {
  return { closeDate: closesAt };
}

/** HTTP API 8.10. */
export function bridgeView({ name, url, connected, since, reason, locks, drivers }: BridgeStatus): ResponseBody<'Bridge'> {
  const programs = drivers.map(({ kind, settings, online }) => ({ kind, ...settings, online }));
  return { name, url, connected, since, reason, locks, drivers: programs };
}

/** A device that waits to be confirmed, or that a bridge announces. */
export function foundDeviceView(device: PendingDevice | AnnouncedDevice): ResponseBody<'PendingDevice'> {
  return 'driver' in device ? announcedDeviceView(device) : pendingDeviceView(device);
}

function announcedDeviceView(device: AnnouncedDevice): ResponseBody<'PendingDevice'> {
  const { deviceId, driver, address, name, make, model, since, connected, refused } = device;
  const { kind, ...members } = driver;
  const waiting = { keyFingerprint: null, since, connected, contested: false, hello: null, replaces: null };
  return { deviceId, lockMac: macOf(deviceId), address, ...waiting, driver: { kind, ...members }, name, make, model, refused };
}

/** A device that waits to be confirmed, with the part of its hello that helps a person to recognise it. */
function pendingDeviceView(device: PendingDevice): ResponseBody<'PendingDevice'> {
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
    ...{ driver: null, name: null, make: null, model: null, refused: null },
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

/** HTTP API 8.3: a device that has become a lock. It keeps the key that it made itself, which the gateway does not know. */
export function confirmedView(deviceId: DeviceId, lockId: LockId): ResponseBody<'ConfirmedDevice'> {
  return { lockId, deviceId };
}

/** The account that asks. */
export function callerView({ username, gatewayAdministrator, accessManager = false }: Caller) {
  return { username, gatewayAdministrator, accessManager };
}

/** An account, by its name: account ids are internal. */
export function accountView({ username, gatewayAdministrator, accessManager, createdAt }: Account): ResponseBody<'Account'> {
  return { username, gatewayAdministrator, accessManager, createDate: createdAt };
}

/** A token without its secret; expireDate null: it never expires. */
export function tokenView({ token, username }: TokenView): ResponseBody<'Token'> {
  const { tokenId, kind, name, createdAt, expiresAt } = token;
  return { tokenId, kind, username, name, createDate: createdAt, expireDate: expiresAt };
}

/** HTTP API 8.5: a new token, shown once. */
export function newTokenView({ token, secret }: TokenView & { readonly secret: string }): ResponseBody<'IssuedToken'> {
  return { tokenId: token.tokenId, token: secret };
}

/** One entry of the audit log. */
export function auditView({
  at,
  username,
  address,
  action,
  object,
  detail,
  outcome,
  missed = 0,
  count = 1,
  sessionId,
}: AuditEntry): ResponseBody<'AuditEntry'> {
  return { date: at, username, address, action, object, detail, outcome, missed, count, sessionId: sessionId ?? null };
}
