// Passcodes of one lock, for programs: who may see and change them.
import type { Caller } from '../accounts/account.ts';
import { requireLock, requireRole } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import { DomainError } from '../errors.ts';
import { type LockId, roleOn } from '../locks/lock.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { CardId } from './card.ts';
import { always } from './entry.ts';
import {
  type AddedPasscode,
  type ChangedPasscode,
  listedPasscode,
  type NewPasscode,
  type NewTimes,
  type Passcode,
  type PasscodeVia,
  passcodeOf,
} from './passcode.ts';
import { createPasscodeChanges, type PasscodeChangesOptions } from './passcode-changes.ts';
import { passcodeWithId } from './passcode-rules.ts';

/**
 * For managers of the lock. Each method rejects with `lock-not-found` for an unknown lock, then `forbidden` for others, then `not-found` for
 * an unknown passcode. Those that change one reject as the changes of cards do, and with `granted` when a grant wants it.
 */
export interface PasscodeService {
  /** By passcodeId. The callers of this must not show the codes: `detail` and `listWithCodes` do. */
  list(caller: Caller, lockId: LockId, page: PageRequest): Promise<Page<Passcode>>;
  /** The same for the administrator of the lock, who may see them: rejects with `not-lock-administrator` for all others. */
  listWithCodes(caller: Caller, lockId: LockId, page: PageRequest): Promise<Page<Passcode>>;
  /** For the administrator of the lock: rejects with `not-lock-administrator` for all others. */
  detail(caller: Caller, lockId: LockId, passcodeId: CardId): Promise<Passcode>;
  /**
   * Rejects with `passcode-exists`, `passcode-weak`, `not-supported` when the lock cannot have such a one, and with `invalid-parameter` for dates
   * in the wrong order or in the past, an unknown schedule, or digits that this lock does not take.
   */
  add(caller: Caller, lockId: LockId, passcode: NewPasscode, via: PasscodeVia, gone: CancelSignal): Promise<AddedPasscode>;
  /** Its times may lie in the past. Rejects with `conflict` when it was used, and with the codes of `add` that apply. */
  change(caller: Caller, lockId: LockId, id: CardId, times: NewTimes, via: PasscodeVia, gone: CancelSignal): Promise<ChangedPasscode>;
  /** Renames it at the gateway. */
  rename(caller: Caller, lockId: LockId, passcodeId: CardId, name: string): Promise<void>;
  /** It is no error if the lock no longer had it. */
  remove(caller: Caller, lockId: LockId, passcodeId: CardId, via: PasscodeVia, gone: CancelSignal): Promise<ChangedPasscode>;
}

export function createPasscodeService(options: PasscodeChangesOptions): PasscodeService {
  const { clock, locks, entries } = options;
  const changes = createPasscodeChanges(options);
  const of = async (lockId: LockId) => entries.inMemory(lockId) ?? entries.of(lockId);

  async function listed(lockId: LockId, page: PageRequest): Promise<Page<Passcode>> {
    const now = clock.now();
    return paginate(
      (await of(lockId)).entries.flatMap((entry) => listedPasscode(entry, now) ?? []),
      page,
    );
  }
  function requireAdministrator(caller: Caller, lockId: LockId): void {
    if (roleOn(requireLock(locks, lockId), caller) === 'administrator') return;
    throw new DomainError('not-lock-administrator', "only the lock's administrator may see a passcode");
  }

  return {
    async list(caller, lockId, page) {
      requireRole(locks, caller, lockId, 'manager');
      return listed(lockId, page);
    },

    async listWithCodes(caller, lockId, page) {
      requireAdministrator(caller, lockId);
      return listed(lockId, page);
    },

    async detail(caller, lockId, passcodeId) {
      requireAdministrator(caller, lockId);
      const entry = passcodeWithId(await of(lockId), passcodeId);
      return listedPasscode(entry, clock.now()) ?? passcodeOf(entry, entry.direct ?? entry.held?.window ?? always);
    },

    add: changes.add,
    change: changes.change,
    rename: changes.rename,
    remove: changes.remove,
  };
}
