// Tells all doors of a group to lock now, and says of each what came of it (HTTP API 13.5). It never unlocks.
import type { Caller } from '../accounts/account.ts';
import { requireRole } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import { DomainError, type ErrorCode } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { LockService } from '../locks/lock-service.ts';

export interface GroupLockResult {
  readonly lockId: LockId;
  /** `locked`; `not-sent` when `gone` was aborted before its turn; one of `failures`; or the lock's own word why it could not. */
  readonly result: string;
}

export interface GroupLockService {
  /**
   * Locks all doors of a group, in the order of their ids, 50 at a time. For who is a manager of each; rejects with `forbidden` for the
   * first that is not, and with `not-found` when no lock is in the group: then nothing was sent. When `gone` is aborted, what was not
   * begun is not sent.
   */
  lockGroup(caller: Caller, groupId: number, gone: CancelSignal): Promise<readonly GroupLockResult[]>;
}

const atOnce = 50;

/** What became of a door that did not lock, by the error. */
const failures: Partial<Record<ErrorCode, string>> = {
  'lock-offline': 'offline',
  'lock-busy': 'busy',
  'lock-timeout': 'timeout',
  'not-supported': 'not-supported',
  forbidden: 'forbidden',
  'token-invalid': 'forbidden',
  'lock-not-found': 'gone',
};

export function createGroupLock(options: {
  readonly locks: LockStore;
  readonly lockService: Pick<LockService, 'setBolt'>;
}): GroupLockService {
  const { locks, lockService } = options;

  async function lockOne(caller: Caller, lockId: LockId, gone: CancelSignal): Promise<GroupLockResult> {
    if (gone.aborted) return { lockId, result: 'not-sent' };
    try {
      // The role is needed still: it may have gone while the doors before this one were locked.
      requireRole(locks, caller, lockId, 'manager');
      const locked = await lockService.setBolt(caller, lockId, 'locked', gone);
      return { lockId, result: locked.success ? 'locked' : locked.reason };
    } catch (error) {
      const result = error instanceof DomainError ? failures[error.code] : undefined;
      if (result === undefined) throw error;
      return { lockId, result };
    }
  }

  return {
    async lockGroup(caller, groupId, gone) {
      const lockIds = locks.all().flatMap((lock) => (lock.groupId === groupId ? lock.lockId : []));
      if (lockIds.length === 0) throw new DomainError('not-found', `no lock is in a group ${groupId}`);
      for (const lockId of lockIds) requireRole(locks, caller, lockId, 'manager');
      const results: GroupLockResult[] = [];
      const waiting = lockIds.entries();
      // Each door has its own time.
      const left: CancelSignal = {
        get aborted() {
          return gone.aborted;
        },
        addEventListener: (kind, listener) => gone.addEventListener(kind, listener),
        removeEventListener: (kind, listener) => gone.removeEventListener(kind, listener),
      };
      const work = async (): Promise<void> => {
        for (const [place, lockId] of waiting) results[place] = await lockOne(caller, lockId, left);
      };
      await Promise.all(Array.from({ length: Math.min(atOnce, lockIds.length) }, work));
      return results;
    },
  };
}
