// The objects of TTLock's cloud. Every member is always there; what is a number there is never null.
import { type Caller, roleSuffices } from '../../domain/accounts/account.ts';
import type { RoleView } from '../../domain/accounts/role-service.ts';
import type { Card } from '../../domain/credentials/card.ts';
import type { Passcode } from '../../domain/credentials/passcode.ts';
import { type LockId, roleOn } from '../../domain/locks/lock.ts';
import type { LockView } from '../../domain/locks/lock-service.ts';
import { lockItemView } from '../api/views.ts';

/** What every operation answers that was done. */
export const operationDone = { errcode: 0, errmsg: 'none error message', description: 'success' };

/** Of the generation of locks whose clients these are: they look into it for how to speak to a lock by Bluetooth. */
const lockVersion = { protocolType: 5, protocolVersion: 3, scene: 2, groupId: 1, orgId: 1 };

/** The word for an administrator, and for all other roles. */
const userTypes = { administrator: '110301', other: '110302' };
const keyInUse = '110401';

/** `hasGateway` is 1, because the gateway is latchd; `lockData` would be a key. */
export function ttlockLock(view: LockView) {
  const { lock } = view;
  return {
    ...lockItemView(view),
    hasGateway: 1,
    lockData: '',
    timezoneRawOffset: lock.timezoneOffsetMs,
    modelNum: lock.modelNum,
    hardwareRevision: lock.hardwareRevision,
    firmwareRevision: lock.firmwareRevision,
    keyboardPwdVersion: 4,
    specialValue: 0,
    lockVersion,
  };
}

/** For the administrator of the lock alone: it shows the super passcode. */
export function ttlockLockDetail(view: LockView) {
  const { lock } = view;
  const { lockSound, privacyLock, tamperAlert, resetButton, openDirection, passageMode, passageModeAutoUnlock } = lock.settings;
  return {
    ...ttlockLock(view),
    noKeyPwd: lock.superPasscode,
    adminPwd: '',
    autoLockTime: lock.autoLockSeconds === 0 ? -1 : lock.autoLockSeconds,
    ...{ lockSound, privacyLock, tamperAlert, resetButton, openDirection, passageMode, passageModeAutoUnlock },
  };
}

/** The role of the caller on this lock, as the one key that an account has for a lock. */
export function ttlockKey(view: LockView, caller: Caller) {
  const role = roleOn(view.lock, caller);
  return {
    ...ttlockLock(view),
    keyId: view.lock.lockId,
    userType: role === 'administrator' ? userTypes.administrator : userTypes.other,
    keyStatus: keyInUse,
    keyRight: roleSuffices(role, 'manager') ? 1 : 0,
    remoteEnable: 1,
    startDate: 0,
    endDate: 0,
    remarks: '',
  };
}

/** The role of any account on a lock; nobody knows since when. */
export function ttlockKeyOf(lockId: LockId, { username, role }: RoleView, administrator: string) {
  return {
    keyId: lockId,
    lockId,
    username,
    keyName: role,
    keyStatus: keyInUse,
    startDate: 0,
    endDate: 0,
    keyRight: roleSuffices(role, 'manager') ? 1 : 0,
    senderUsername: administrator,
    date: 0,
  };
}

const passcodeTypes = { once: 1, permanent: 2, period: 3 } as const;

/** `code` "" for who may not see it. */
export function ttlockPasscode(passcode: Passcode) {
  const { passcodeId, lockId, code, name, type, startDate, endDate, createdAt, createdBy } = passcode;
  return {
    keyboardPwdId: passcodeId,
    lockId,
    keyboardPwd: code,
    keyboardPwdName: name,
    keyboardPwdType: passcodeTypes[type],
    keyboardPwdVersion: 4,
    startDate,
    endDate,
    sendDate: createdAt,
    isCustom: 1,
    senderUsername: createdBy,
    status: 1,
  };
}

export function ttlockCard({ cardId, lockId, cardNumber, name, startDate, endDate, createdAt, createdBy }: Card) {
  return {
    ...{ cardId, lockId, cardNumber, cardName: name, cardType: 1, startDate, endDate },
    createDate: createdAt,
    senderUsername: createdBy,
    status: 1,
  };
}
