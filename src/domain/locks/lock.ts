// A lock as the gateway knows it. Dates here and everywhere are epoch milliseconds (UTC).
import type { AccountId, Caller, LockRole } from '../accounts/account.ts';

declare const lockIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type LockId = number & { readonly [lockIdBrand]: true };

declare const deviceIdBrand: unique symbol;
/** Names the device, whatever its kind: 12 lower-case hex digits. Of a native lock it is the MAC address, of another its driver derives it from the address. */
export type DeviceId = string & { readonly [deviceIdBrand]: true };

export type OpenState = 'locked' | 'unlocked';

/** The seven switches of Specification 2.1: 0 unknown, 1 on (or left), 2 off (or right). */
export interface LockSettings {
  readonly lockSound: number;
  readonly privacyLock: number;
  readonly tamperAlert: number;
  readonly resetButton: number;
  readonly openDirection: number;
  readonly passageMode: number;
  /** 1 on, 2 off: the specification has no 0 for this one. */
  readonly passageModeAutoUnlock: number;
}

/** What a lock has until its first hello. */
export const unknownSettings: LockSettings = {
  lockSound: 0,
  privacyLock: 0,
  tamperAlert: 0,
  resetButton: 0,
  openDirection: 0,
  passageMode: 0,
  passageModeAutoUnlock: 2,
};

/** Who speaks to a lock that does not speak the native protocol, and where it is found. It never changes. */
export interface LockDriver {
  readonly kind: string;
  /** Names the lock among all of its kind: a serial number, a topic prefix. */
  readonly address: string;
}

export interface Lock {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly alias: string;
  /** Specification: noKeyPwd. Only for the lock's administrator. */
  readonly superPasscode: string;
  /** Opaque text given at registration (it may hold Bluetooth keys): only for the lock's administrator. */
  readonly lockData: string;
  readonly groupId: number;
  readonly groupName: string;
  readonly timezoneOffsetMs: number;
  readonly featureValue: string;
  readonly modelNum: string;
  readonly hardwareRevision: string;
  readonly firmwareRevision: string;
  /** 0: the lock does not lock itself. */
  readonly autoLockSeconds: number;
  readonly settings: LockSettings;
  readonly initialisedAt: number;
  readonly administrator: AccountId;
  readonly roles: readonly GrantedRole[];
  /** SHA-256 of what it logs in with, 64 hex digits. Refused while the lock is bound to a hub. */
  readonly keyHash: string;
  /** The hub that speaks for it; null: it has a login of its own, as each lock of another kind. */
  readonly hubId: DeviceId | null;
  /** Absent: it speaks the native protocol. */
  readonly driver?: LockDriver;
}

export interface GrantedRole {
  readonly accountId: AccountId;
  readonly role: Exclude<LockRole, 'administrator'>;
}

/** What the lock last said of itself; null until it has. */
export interface LockStatus {
  readonly state: OpenState | null;
  /** When the lock said so, by its own clock where that is possible, else by the gateway's. */
  readonly stateAt: number | null;
  readonly batteryPercent: number | null;
  readonly lastSeenAt: number | null;
  /** How many cards it holds, the changes since included to which it said ok. */
  readonly cardsOnLock: number | null;
}

/** From `at` on (epoch ms), the lock has said so. */
export interface BatteryLevel {
  readonly at: number;
  readonly percent: number;
}

export const unknownStatus: LockStatus = {
  state: null,
  stateAt: null,
  batteryPercent: null,
  lastSeenAt: null,
  cardsOnLock: null,
};

/** The role a caller has on a lock; undefined when none. */
export function roleOn(lock: Lock, caller: Pick<Caller, 'accountId'>): LockRole | undefined {
  if (lock.administrator === caller.accountId) return 'administrator';
  if (lock.roles.length > fewRoles) return rolesOf(lock).get(caller.accountId);
  return lock.roles.find((granted) => granted.accountId === caller.accountId)?.role;
}

const fewRoles = 8;
/** Of each array of more than a few, which is another one after each change: at a main entrance everybody has a role. */
const knownRoles = new WeakMap<Lock['roles'], ReadonlyMap<AccountId, GrantedRole['role']>>();

function rolesOf({ roles }: Lock): ReadonlyMap<AccountId, GrantedRole['role']> {
  let known = knownRoles.get(roles);
  if (known === undefined) {
    known = new Map(roles.map(({ accountId, role }) => [accountId, role]));
    knownRoles.set(roles, known);
  }
  return known;
}

/** MAC address (colons, hyphens or none, either case) to deviceId; undefined when it is none. */
export function deviceIdOf(mac: string): DeviceId | undefined {
  if (!/^(?:[0-9a-f]{12}|[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5})$/i.test(mac)) return undefined;
  return mac.replaceAll(/[:-]/g, '').toLowerCase() as DeviceId;
}

/** deviceId to the form people see: `A4:C1:38:7F:02:E9`. */
export function macOf(deviceId: DeviceId): string {
  const pair = (start: number): string => deviceId.slice(start, start + 2);
  return `${pair(0)}:${pair(2)}:${pair(4)}:${pair(6)}:${pair(8)}:${pair(10)}`.toUpperCase();
}
