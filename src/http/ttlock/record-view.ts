// A record as programs of TTLock's cloud read it.
import type { LockRecord } from '../../domain/records/record.ts';
import { ttlockTypesOf } from '../../domain/ttlock/record-types.ts';

/** `keyboardPwd`: the credential as the reader may know it. undefined: programs know no number for a record of this type. */
export function ttlockRecordView(record: LockRecord, keyboardPwd: string) {
  const types = ttlockTypesOf(record);
  if (types === undefined) return undefined;
  const { recordId, lockId, success, username, lockDate, serverDate } = record;
  return {
    ...{ recordId, lockId, recordTypeFromLock: types.fromLock, recordType: types.recordType, success: success ? 1 : 0 },
    ...{ username: username === '' ? null : username, keyboardPwd, lockDate, serverDate },
  };
}
