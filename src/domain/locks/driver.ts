// The port through which the domain speaks to a lock of any kind. A driver is one folder in src/drivers; everything that only its kind of
// lock has, such as keys, clocks or counters, stays there.

import type { Capabilities, Capability } from './capabilities.ts';
import type { DeviceId, DriverOptions, Lock, LockId } from './lock.ts';
import type { LockLink } from './lock-link.ts';

/** A device as its driver understands the member `driver` of its registration. */
export interface DescribedDevice {
  readonly deviceId: DeviceId;
  /** As in `LockDriver`. */
  readonly address: string;
  readonly options: DriverOptions;
}

/** What every passcode of a kind of locks must look like. */
export interface PasscodeForm {
  readonly digits: readonly [fewest: number, most: number];
  readonly pattern: RegExp;
  /** For people, such as `must be six digits`. */
  readonly rule: string;
}

/** Where and under which name a device logs in to our broker; a port is null while nothing listens there for such devices. */
export interface DeviceLogin {
  readonly host: string;
  readonly port: number | null;
  readonly tlsPort: number | null;
  readonly username: string;
}

/**
 * Speaks to all locks of one kind. Whatever the kind, a driver guarantees:
 *
 * - **A session is one connection in which the lock is known to receive.** `reports.hello` begins it. When the connection ends, or the lock
 * is   reported away, the session is over at once and for ever: the driver calls `reports.offline` once for it, and the next session is
 * another object.
 * - **Nothing opens late.** `send` hands the command to the connection of its own session, or to nobody: nothing is queued, retained or repeated.
 *   It resolves with `unsent` when the lock may not be there to take it.
 *   After `ttlMs` at most it resolves; by then the lock has answered, or the driver has made sure, as far as its kind of lock allows, that the lock
 *   no longer obeys: by an expiry that the lock itself observes, or by a reset of the connection. If neither is certain for a kind, its
 * page says so.
 * - **`ok` is a reply that came after the command was sent**, from the lock itself: never a retained or cached message, never an
 * assumption.
 * - **The driver reports what the lock says in the order in which it came**, and the content of a reply before `send` resolves.
 * - **An event is acknowledged to the device only after `reports.events` has resolved.** When that rejects, the device is to send it again if it can.
 * - **A lock of another kind is not touched**: neither its topics nor its login nor its session.
 */
export interface Driver extends LockLink {
  /** As in `Lock.driver`. */
  readonly kind: string;
  /** As known now; `capabilities-changed` is emitted when they become others. */
  capabilities(lock: Lock): Capabilities;
  /**
   * Whether this command is sent also to a lock that is surely in the wanted state already, such as the pulse of a strike, or an unlock that
   * pulls the latch. Absent: never.
   */
  alwaysSends?(lock: Lock, op: 'lock' | 'unlock'): boolean;
  /** Of keypads that take less than digits of any kind. Absent: what the lock says of itself. */
  readonly passcodeForm?: PasscodeForm;
  /** Throws `invalid-parameter` by path (`driver.nukiId`) for what its kind does not know. Absent: its locks are registered by their MAC address. */
  describe?(given: DriverOptions): DescribedDevice;
  /** Throws `conflict` while nothing listens for devices of this kind. Absent: its locks do not log in, or with a device key. */
  login?(device: DescribedDevice): DeviceLogin;
  /**
   * Called before a lock of any kind is registered or bound to a hub, within the administration mutex. Throws `conflict` when something
   * that is no lock, such as a hub, has this deviceId, and `not-found` when there is no such hub.
   */
  accept?(lock: Pick<Lock, 'deviceId' | 'driver'>): void;
  /** The offset of this lock from UTC has changed. */
  timezoneChanged?(lockId: LockId): void;
  /** The lock has refused a command as `expired` although most of its time was left: the driver's view of the lock's uptime is wrong. */
  expiredEarly?(lockId: LockId): void;
}

/** All drivers, as the services see them. */
export interface Drivers extends LockLink {
  /** Whether the lock has this capability; false for an unknown lock. */
  can(lockId: LockId, what: Capability): boolean;
  /** Those of a lock of whose kind there is no driver (any more): it can do nothing. */
  capabilities(lock: Lock): Capabilities;
  /** As `Driver.alwaysSends`; false for an unknown lock. */
  alwaysSends(lockId: LockId, op: 'lock' | 'unlock'): boolean;
  /** As `Driver.passcodeForm`. */
  passcodeForm(lock: Lock): PasscodeForm | undefined;
  accept(lock: Pick<Lock, 'deviceId' | 'driver'>): void;
  timezoneChanged(lockId: LockId): void;
  expiredEarly(lockId: LockId): void;
  /** The driver of this kind; undefined: there is none. */
  ofKind(kind: string): Driver | undefined;
}
