// What stays of a lock that was removed: who may read its records, and what it was called, for as long as they are kept.
import type { AccountId } from '../accounts/account.ts';
import type { DeviceId, LockId } from './lock.ts';

export interface RemovedLock {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly alias: string;
  /** Who was its administrator then; that account can be gone. */
  readonly administrator: AccountId;
  readonly removedAt: number;
  /** 0: whoever administers the machine itself. */
  readonly removedBy: AccountId;
}
