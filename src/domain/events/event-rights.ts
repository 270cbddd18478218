// Who may get which event: the same roles as for reading it from the API (HTTP API 3 and 7).
import { type Caller, roleSuffices } from '../accounts/account.ts';
import { type LockId, roleOn } from '../locks/lock.ts';
import type { LocalLockView, LocalRemovedLockView } from '../locks/lock-ports.ts';
import { type LiveEvent, roleForAlarms, roleForEvent } from './live-event.ts';

/** Answers by the rights of this moment, from local views. */
export function createEventRights({
  locks,
  removedLocks,
}: {
  readonly locks: Pick<LocalLockView, 'get'>;
  readonly removedLocks: Pick<LocalRemovedLockView, 'get'>;
}) {
  /** The administrator of a removed lock still gets its records that were not sent before: a removal hides nothing. */
  function mayReadRecords(caller: Caller, lockId: LockId): boolean {
    const lock = locks.get(lockId);
    if (lock === undefined) return removedLocks.get(lockId)?.administrator === caller.accountId;
    return roleSuffices(roleOn(lock, caller), roleForEvent.record);
  }

  function mayHear(caller: Caller, event: Pick<LiveEvent, 'type' | 'lockId'>): boolean {
    if (event.type === 'lock-gone') return true;
    if (event.type === 'revocation') return caller.accessManager === true;
    if (event.type === 'record' && event.lockId !== null) return mayReadRecords(caller, event.lockId);
    const lock = event.lockId === null ? undefined : locks.get(event.lockId);
    const role = lock && roleOn(lock, caller);
    if (event.type === 'lock') return role !== undefined;
    if (event.type === 'alarm' || event.type === 'alarm-ended') return caller.gatewayAdministrator || roleSuffices(role, roleForAlarms);
    return roleSuffices(role, roleForEvent[event.type]);
  }

  return {
    mayReadRecords,
    /** Whether the caller may get this event now. */
    mayHear,
  };
}
