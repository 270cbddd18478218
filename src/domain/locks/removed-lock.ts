// The data of a removed lock: its names, and who may read its records, for as long as these are stored.
import type { AccountId } from '../accounts/account.ts';
import type { DeviceId, LockId } from './lock.ts';

export interface RemovedLock {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly alias: string;
  /** The account that was its administrator; it can be removed since. */
  readonly administrator: AccountId;
  readonly removedAt: number;
  /** 0: an administrator of the machine itself. */
  readonly removedBy: AccountId;
}
