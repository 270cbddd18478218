// What clients see of passcodes (HTTP API 12.2): the code only in the answer that makes it, and for the administrator of the lock.
import type { AddedPasscode, Passcode } from '../../domain/credentials/passcode.ts';
import type { ResponseBody } from './response-schemas.ts';

const types = { once: 1, permanent: 2, period: 3 } as const;

/** In a list: without the code. */
export function passcodeView(passcode: Passcode): ResponseBody<'Passcode'> {
  return fields(passcode, '');
}

/** For the administrator of the lock. */
export function passcodeDetailView(passcode: Passcode): ResponseBody<'Passcode'> {
  return fields(passcode, passcode.code);
}

/** For who has made it. */
export function addedPasscodeView({ passcodeId, code }: AddedPasscode): ResponseBody<'AddedPasscode'> {
  return { keyboardPwdId: passcodeId, keyboardPwd: code };
}

function fields(passcode: Passcode, keyboardPwd: string): ResponseBody<'Passcode'> {
  const { passcodeId, lockId, name, type, startDate, endDate, createdAt, createdBy, isCustom } = passcode;
  return {
    keyboardPwdId: passcodeId,
    lockId,
    keyboardPwd,
    keyboardPwdName: name,
    keyboardPwdType: types[type],
    startDate,
    endDate,
    sendDate: createdAt,
    isCustom: isCustom ? 1 : 0,
    senderUsername: createdBy,
  };
}
