// What a caller can do with locks: list them, read their state, lock and unlock, change settings.
import type { Caller, LockRole } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { requireLock, requireRole, requireRoleStill } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import { DomainError } from '../errors.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Capability } from './capabilities.ts';
import type { CommandEnd, CommandService } from './command-service.ts';
import { priority } from './command-service.ts';
import type { Drivers } from './driver.ts';
import { type BatteryLevel, type Lock, type LockId, type LockSettings, type LockStatus, type OpenState, roleOn } from './lock.ts';
import type { LockCommand } from './lock-command.ts';
import type { LockLink } from './lock-link.ts';
import type { LockLists, WantedLocks } from './lock-lists.ts';
import type { LockNames } from './lock-names.ts';
import type { BatteryStore, LockStore, StatusStore } from './lock-ports.ts';
import type { StateCertainty } from './state-certainty.ts';

/** A lock with its last reports. */
export interface LockView {
  readonly lock: Lock;
  readonly status: LockStatus;
  /** Only the lock's administrator sees lockData and the super passcode. */
  readonly callerIsAdministrator: boolean;
}

/** The result of lock or unlock: done, or it was so already; or false with the lock's own error code when it could not do it. */
export type BoltResult = { readonly success: true; readonly nothingToDo?: true } | { readonly success: false; readonly reason: string };

/** Each method throws `lock-not-found` for an unknown lock, then `forbidden` without the required role (HTTP API 3). */
export interface LockService {
  /** Locks on which the caller has any role, by lockId ascending. */
  list(caller: Caller, page: PageRequest, wanted?: WantedLocks): Page<LockView>;
  /** One of these, and whether it is connected now. */
  get(caller: Caller, lockId: LockId): LockView & { readonly online: boolean };
  /** Throws `state-unknown` until the lock has reported it; `sure`: the state is certain now (`StateCertainty.isSure`). */
  state(caller: Caller, lockId: LockId): { state: OpenState; stateAt: number; online: boolean; sure: boolean };
  /** Throws `state-unknown` until the lock has reported it. */
  battery(caller: Caller, lockId: LockId): number;
  /** The levels that the lock has reported, oldest first. */
  batteryHistory(caller: Caller, lockId: LockId): Promise<readonly BatteryLevel[]>;
  /**
   * Locks or unlocks; `gone` aborts when the client no longer waits. Rejects with `lock-offline`, `lock-busy` or `lock-timeout`, or with what
   * `requireTimely` throws: it is called as the command leaves for the lock, however long it has waited.
   */
  setBolt(caller: Caller, lockId: LockId, wanted: OpenState, gone: CancelSignal, requireTimely?: () => void): Promise<BoltResult>;
  /** 0 to 65535 seconds, 0 is off. Rejects with `lock-refused` and as `setBolt` does. */
  setAutoLock(caller: Caller, lockId: LockId, seconds: number, gone: CancelSignal, requireTimely?: () => void): Promise<void>;
  /** The administrator's view; throws `not-lock-administrator` for all others. */
  detail(caller: Caller, lockId: LockId): LockView;
  /** Rejects with `conflict` or `invalid-parameter` for an alias that people could mistake for another. */
  rename(caller: Caller, lockId: LockId, alias: string): Promise<void>;
  /** Sends the settings to the lock, and stores them when it replied ok. */
  changeSettings(caller: Caller, lockId: LockId, settings: Partial<LockSettings>, gone: CancelSignal): Promise<void>;
}

export function createLockService(options: {
  readonly locks: LockStore;
  readonly lists: LockLists;
  readonly names: Pick<LockNames, 'give'>;
  readonly accounts: Pick<AccountStore, 'get' | 'token'>;
  readonly statuses: StatusStore;
  readonly batteries: Pick<BatteryStore, 'levels'>;
  readonly link: LockLink & Pick<Drivers, 'alwaysSends'>;
  readonly commands: CommandService;
  readonly certainty: Pick<StateCertainty, 'isSure'>;
}): LockService {
  const { locks, lists, names, accounts, statuses, batteries, link, commands, certainty } = options;

  function view(lock: Lock, caller: Caller): LockView {
    return { lock, status: statuses.get(lock.lockId), callerIsAdministrator: roleOn(lock, caller) === 'administrator' };
  }

  /**
   * Sends one command for a caller with the required role. It checks the role again just before sending, because role or account can be
   * gone by then.
   */
  function send(
    request: {
      caller: Caller;
      lockId: LockId;
      role: LockRole;
      priority: number;
      gone: CancelSignal;
      requireTimely?: (() => void) | undefined;
    },
    toSend: () => LockCommand | undefined,
    needs?: Capability,
  ): Promise<CommandEnd> {
    const { caller, lockId, role, gone } = request;
    requireRole(locks, caller, lockId, role);
    const makeCommand = () => {
      requireRoleStill({ locks, accounts }, caller, lockId, role);
      request.requireTimely?.();
      return toSend();
    };
    const accountId = caller.accountId;
    return commands.send({
      lockId,
      priority: request.priority,
      accountId,
      deadline: commands.deadline(gone),
      gone,
      makeCommand,
      ...(needs && { needs }),
    });
  }

  return {
    list(caller, page, wanted = {}) {
      const { list, ...envelope } = lists.page(caller.accountId, wanted, page);
      return { list: list.map((lock) => view(lock, caller)), ...envelope };
    },

    get(caller, lockId) {
      const lock = requireRole(locks, caller, lockId, 'operator');
      return { ...view(lock, caller), online: link.session(lockId) !== undefined };
    },

    state(caller, lockId) {
      requireRole(locks, caller, lockId, 'operator');
      const { state, stateAt } = statuses.get(lockId);
      if (state === null || stateAt === null) throw neverSaid('open state');
      return { state, stateAt, online: link.session(lockId) !== undefined, sure: certainty.isSure(lockId) };
    },

    battery(caller, lockId) {
      requireRole(locks, caller, lockId, 'operator');
      const { batteryPercent } = statuses.get(lockId);
      if (batteryPercent === null) throw neverSaid('battery level');
      return batteryPercent;
    },

    async batteryHistory(caller, lockId) {
      requireRole(locks, caller, lockId, 'operator');
      return batteries.levels(lockId);
    },

    async setBolt(caller, lockId, wanted, gone, requireTimely) {
      const op = wanted === 'locked' ? 'lock' : 'unlock';
      const end = await send({ caller, lockId, role: 'operator', priority: priority.door, gone, requireTimely }, () => {
        const already = certainty.isSure(lockId) && statuses.get(lockId).state === wanted && !link.alwaysSends(lockId, op);
        return already ? undefined : { op };
      });
      if (end.kind === 'refused') return { success: false, reason: end.error };
      return end.kind === 'nothing-to-do' ? { success: true, nothingToDo: true } : { success: true };
    },

    async setAutoLock(caller, lockId, seconds, gone, requireTimely) {
      const request = { caller, lockId, role: 'manager', priority: priority.change, gone, requireTimely } as const;
      refuseUnlessOk(await send(request, () => ({ op: 'set-auto-lock', seconds }), 'autoLock'));
      await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: seconds }));
    },

    detail(caller, lockId) {
      const lock = requireLock(locks, lockId);
      if (roleOn(lock, caller) !== 'administrator') {
        throw new DomainError('not-lock-administrator', "only the lock's administrator may access the lock details");
      }
      return view(lock, caller);
    },

    async rename(caller, lockId, alias) {
      requireRole(locks, caller, lockId, 'administrator');
      await names.give(lockId, { alias }, () => locks.update(lockId, (lock) => ({ ...lock, alias })));
    },

    async changeSettings(caller, lockId, settings, gone) {
      const request = { caller, lockId, role: 'administrator', priority: priority.change, gone } as const;
      refuseUnlessOk(await send(request, () => ({ op: 'set-settings', settings }), 'settings'));
      await locks.update(lockId, (lock) => ({ ...lock, settings: { ...lock.settings, ...settings } }));
    },
  };
}

/** Throws `lock-refused`, with the lock's own error code, for a change that the lock did not make. */
export function refuseUnlessOk(end: CommandEnd): void {
  if (end.kind === 'refused') {
    throw new DomainError('lock-refused', `the lock refused: ${end.message || end.error}`, { lockError: end.error });
  }
}

function neverSaid(what: string): DomainError {
  return new DomainError('state-unknown', `the lock has never reported its ${what}`);
}
