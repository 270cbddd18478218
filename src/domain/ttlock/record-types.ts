// The numbers that programs of TTLock's cloud know for what happens at a door.
import type { LockRecord } from '../records/record.ts';

interface TtlockTypes {
  /** How people and programs see it. */
  readonly recordType: number;
  /** How the firmware of such a lock would name it. */
  readonly fromLock: number;
}

const types: ReadonlyMap<string, TtlockTypes> = new Map(
  Object.entries({
    'remote-unlock': [12, 28],
    // There is no number for a gateway that locks: programs take 11 as locking.
    'remote-lock': [11, 26],
    'card-unlock': [7, 17],
    'card-lock': [35, 35],
    'passcode-unlock': [4, 4],
    'passcode-lock': [34, 34],
    'phone-unlock': [1, 1],
    'phone-lock': [11, 26],
    'fingerprint-unlock': [8, 20],
    'key-unlock': [10, 10],
    'inside-unlock': [32, 32],
    'inside-lock': [47, 47],
    'auto-lock': [45, 45],
    'door-open': [31, 31],
    'door-close': [30, 30],
    tamper: [44, 44],
  } as const).map(([type, [recordType, fromLock]]) => [type, { recordType, fromLock }]),
);

const jammedUnlocking: TtlockTypes = { recordType: 65, fromLock: 65 };
const jammedLocking: TtlockTypes = { recordType: 66, fromLock: 66 };
/** What a lock can give as the reason of a jam when the bolt should have gone out: `lock`, `locking`, or a type such as `auto-lock`. */
const lockingReason = /^(?:[a-z]+-)?lock(?:ing)?$/;

/**
 * The numbers of a record; undefined: there are none for its type (low battery, duress, a type of the lock's own). A jam has the number of a
 * bolt that should have locked when the lock gave that as the reason, else of one that should have unlocked.
 */
export function ttlockTypesOf({ type, reason = '' }: Pick<LockRecord, 'type' | 'reason'>): TtlockTypes | undefined {
  if (type === 'jammed') return lockingReason.test(reason) ? jammedLocking : jammedUnlocking;
  return types.get(type);
}
