// What a caller can do with locks: list, ask, lock and unlock, settings, and their management.
import type { Caller, LockRole } from './account.ts';
import type { DeviceId, Lock, LockId, LockSettings, LockStatus, OpenState } from './lock.ts';
import type { Page, PageRequest } from './page.ts';

/** A lock with what it last said and whether it is connected. */
export interface LockView {
  readonly lock: Lock;
  readonly status: LockStatus;
  readonly online: boolean;
  /** Only the lock's administrator sees lockData and the super passcode. */
  readonly callerIsAdministrator: boolean;
}

/** How lock or unlock ended: false with the lock's own error code when it could not do it. */
export type MoveResult = { readonly success: true } | { readonly success: false; readonly reason: string };

export interface NewLock {
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly alias?: string;
  readonly groupName?: string;
  readonly superPasscode?: string;
  readonly timezoneOffsetMs?: number;
  readonly lockData?: string;
  /** Username; the caller when absent. */
  readonly administrator?: string;
}

export interface LockChanges {
  readonly name?: string;
  readonly alias?: string;
  readonly groupName?: string;
  readonly superPasscode?: string;
  readonly timezoneOffsetMs?: number;
  readonly lockData?: string;
}

/** A lock as a gateway administrator sees it. */
export interface ManagedLock {
  readonly lock: Lock;
  readonly status: LockStatus;
  readonly online: boolean;
  /** Username. */
  readonly administrator: string;
}

/** `deviceKey` is shown this once. */
export interface IssuedKey {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
}

export interface LockService {
  /** Locks on which the caller has any role, by lockId ascending; `alias` matches any part, whatever the case. */
  list(caller: Caller, page: PageRequest, alias?: string): Page<LockView>;
  /** `state-unknown` until the lock has said it. */
  state(caller: Caller, lockId: LockId): { state: OpenState; stateAt: number; online: boolean };
  /** `state-unknown` until the lock has said it. */
  battery(caller: Caller, lockId: LockId): number;
  /** Locks or unlocks; `gone` aborts when nobody waits for the answer any more. `lock-offline`, `lock-busy`, `lock-timeout`. */
  move(caller: Caller, lockId: LockId, wanted: OpenState, gone: AbortSignal): Promise<MoveResult>;
  /** 0 to 65535 seconds, 0 is off; `lock-refused` and the codes of `move`. */
  setAutoLock(caller: Caller, lockId: LockId, seconds: number, gone: AbortSignal): Promise<void>;
  /** The administrator's view; `not-lock-administrator` for all others. */
  detail(caller: Caller, lockId: LockId): LockView;
  rename(caller: Caller, lockId: LockId, alias: string): Promise<void>;
  /** Sent to the lock, kept when it said ok. */
  changeSettings(caller: Caller, lockId: LockId, settings: Partial<LockSettings>, gone: AbortSignal): Promise<void>;

  // For gateway administrators (HTTP API 6)
  /** `conflict` when the MAC is registered already. */
  register(caller: Caller, lock: NewLock): Promise<IssuedKey>;
  managed(caller: Caller, page: PageRequest): Page<ManagedLock>;
  change(caller: Caller, lockId: LockId, changes: LockChanges): Promise<ManagedLock>;
  remove(caller: Caller, lockId: LockId): Promise<void>;
  /** A new device key; the old one and its connection end at once. */
  renewKey(caller: Caller, lockId: LockId): Promise<IssuedKey>;
  appoint(caller: Caller, lockId: LockId, username: string): Promise<void>;
  /** Also for the lock's administrator. */
  grant(caller: Caller, lockId: LockId, username: string, role: Exclude<LockRole, 'administrator'>): Promise<void>;
  /** Also for the lock's administrator; revoking what is not there is `not-found`. */
  revoke(caller: Caller, lockId: LockId, username: string): Promise<void>;
}
