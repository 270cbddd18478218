// The port through which the domain speaks to a lock of any kind. A driver is one folder in src/drivers; what only its kind of lock has, such as
// keys, clocks or counters, stays there.

import type { DeviceId, Lock, LockId } from './lock.ts';
import type { LockLink } from './lock-link.ts';

/** What not every lock can do. Each lock is locked and unlocked, and says its open state. */
export interface Capabilities {
  /** It has a memory for cards: it adds, changes, removes and lists them. */
  readonly cards: boolean;
  /** The time after which it locks itself can be set. */
  readonly autoLock: boolean;
  /** Its switches can be set. */
  readonly settings: boolean;
  /** It can be asked for its open state. */
  readonly query: boolean;
}
export type Capability = keyof Capabilities;

/**
 * Speaks to all locks of one kind. Whatever the kind, a driver guarantees:
 *
 * - **A session is one connection in which the lock is known to hear.** When the connection ends, or the lock is said to be away, the session is
 *   over at once and for ever: the next one is another object, and `reports.offline` is called once for it. `reports.hello` begins it.
 * - **Nothing opens late.** `send` hands the command to the connection of its own session, or to nobody: nothing is queued, retained or repeated.
 *   After `ttlMs` at most it resolves; by then the lock has answered, or the driver has made sure, as far as its kind of lock allows, that the lock
 *   obeys no more: by an expiry that the lock itself observes, or by a reset of the connection. A kind of which neither is certain says so to people.
 * - **`ok` is what was heard after the command was sent**, from the lock itself: never a retained or cached message, never an assumption.
 * - **What the lock says is reported in the order in which it came**, and what a reply says of the lock before `send` resolves.
 * - **An event is acknowledged to the device only after `reports.events` has resolved.** When that rejects, the device is to send it again if it can.
 * - **A lock of another kind is not touched**: neither its topics nor its login nor its session.
 */
export interface Driver extends LockLink {
  /** As in `Lock.driver`. */
  readonly kind: string;
  capabilities(lock: Lock): Capabilities;
  /** The deviceId of the device at this address; undefined when it is no address of this kind. */
  deviceIdOf(address: string): DeviceId | undefined;
  /**
   * Asked before a lock of any kind is registered or bound to a hub, within the administration mutex: throws `conflict` when something that is no
   * lock, such as a hub, has this deviceId, and `not-found` when there is no such hub.
   */
  accept?(lock: Pick<Lock, 'deviceId' | 'hubId'>): void;
  /** The offset of this lock from UTC has changed. */
  timezoneChanged?(lockId: LockId): void;
  /** The lock has refused a command as `expired` although most of its time was left: what the driver knows of the lock's time is not so. */
  expiredEarly?(lockId: LockId): void;
}

/** All drivers, as the services use them. */
export interface Drivers extends LockLink {
  /** False as well for a lock that is not there. */
  can(lockId: LockId, what: Capability): boolean;
  accept(lock: Pick<Lock, 'deviceId' | 'hubId'>): void;
  timezoneChanged(lockId: LockId): void;
  expiredEarly(lockId: LockId): void;
  /** Undefined: no such kind. */
  ofKind(kind: string): Driver | undefined;
}
