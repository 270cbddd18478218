// A lock as the gateway stores it. Dates here and everywhere are epoch milliseconds (UTC).
import type { AccountId, Caller, LockRole } from '../accounts/account.ts';

declare const lockIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type LockId = number & { readonly [lockIdBrand]: true };

declare const deviceIdBrand: unique symbol;
/**
 * Identifies the device, whatever its kind: 12 lower-case hex digits. For a native lock it is the MAC address; other drivers derive it from
 * the lock's address.
 */
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

/** How much a lock can hold; what it does not say is absent. */
export interface LockLimits {
  readonly cards?: number;
  /** 0: it has no keypad. */
  readonly passcodes?: number;
  readonly passcodeDigits?: readonly [fewest: number, most: number];
  /** Lines of weekly hours of one credential. */
  readonly hours?: number;
  readonly holidays?: number;
}

/** What a lock said of itself in its last hello that it can do. */
export interface LockFeatures {
  /** Words such as `credentials`, `hours`, `once`; unknown ones are stored, too. */
  readonly features: readonly string[];
  readonly limits: LockLimits;
}

/** The settings of a lock until its first hello. */
export const unknownSettings: LockSettings = {
  lockSound: 0,
  privacyLock: 0,
  tamperAlert: 0,
  resetButton: 0,
  openDirection: 0,
  passageMode: 0,
  passageModeAutoUnlock: 2,
};

/** The kind of locks that speak our own protocol. */
export const nativeKind = 'native';

/** What a driver stores of a lock; only the driver knows the members. */
export type DriverOptions = Readonly<Record<string, unknown>>;

/** Who speaks to a lock, and what only that driver needs. Kind and address never change. */
export interface LockDriver {
  readonly kind: string;
  /** Identifies the lock among all of its kind: a MAC address, a serial number, a topic prefix. */
  readonly address: string;
  readonly options: DriverOptions;
  /** SHA-256 of the key or password with which it logs in, 64 hex digits; null: it never logs in, a bridge speaks for it. */
  readonly keyHash: string | null;
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
  readonly driver: LockDriver;
  /** Absent: it has said none. */
  readonly features?: LockFeatures;
  /** In which order its reader gives the bytes of a card; absent: as printed, as far as is known. */
  readonly readerOrder?: 'regular' | 'reverse';
  /** The name of its memory for credentials, as it said it last: with another one it was reset, or another device took its place. */
  readonly memory?: string;
  /** What is done with what nobody wants on it; absent: it stays until a person decides. */
  readonly strangers?: 'remove';
}

export interface GrantedRole {
  readonly accountId: AccountId;
  readonly role: Exclude<LockRole, 'administrator'>;
}

/** The last reports of the lock; a member is null until the lock has reported it. */
export interface LockStatus {
  readonly state: OpenState | null;
  /** When the lock reported the state: by its own clock where that is plausible, else by the gateway's. */
  readonly stateAt: number | null;
  readonly batteryPercent: number | null;
  readonly lastSeenAt: number | null;
  /** How many cards it holds, including changes since that it confirmed. */
  readonly cardsOnLock: number | null;
}

/** The level that the lock has reported from `at` on (epoch ms). */
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

/** The role of a caller on a lock; undefined: none. */
export function roleOn(lock: Lock, caller: Pick<Caller, 'accountId'>): LockRole | undefined {
  if (lock.administrator === caller.accountId) return 'administrator';
  if (lock.roles.length > fewRoles) return rolesOf(lock).get(caller.accountId);
  return lock.roles.find((granted) => granted.accountId === caller.accountId)?.role;
}

const fewRoles = 8;
/**
 * An index for each long array of roles: at a main entrance everybody has a role. A change makes another array, so an index is never stale.
 */
const knownRoles = new WeakMap<Lock['roles'], ReadonlyMap<AccountId, GrantedRole['role']>>();

function rolesOf({ roles }: Lock): ReadonlyMap<AccountId, GrantedRole['role']> {
  let known = knownRoles.get(roles);
  if (known === undefined) {
    known = new Map(roles.map(({ accountId, role }) => [accountId, role]));
    knownRoles.set(roles, known);
  }
  return known;
}

/** Turns a MAC address (colons, hyphens or none, either case) into a deviceId; undefined when it is not a MAC address. */
export function deviceIdOf(mac: string): DeviceId | undefined {
  if (!/^(?:[0-9a-f]{12}|[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5})$/i.test(mac)) return undefined;
  return mac.replaceAll(/[:-]/g, '').toLowerCase() as DeviceId;
}

/** Turns a deviceId into the form that people see: `A4:C1:38:7F:02:E9`. */
export function macOf(deviceId: DeviceId): string {
  const pair = (start: number): string => deviceId.slice(start, start + 2);
  return `${pair(0)}:${pair(2)}:${pair(4)}:${pair(6)}:${pair(8)}:${pair(10)}`.toUpperCase();
}
