// All drivers of this gateway behind one interface.

import type { Capabilities } from './capabilities.ts';
import type { Driver, Drivers } from './driver.ts';
import type { LockId } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

/** Of a lock that nobody speaks to. */
const nothing: Capabilities = {
  ...{ success: 'said', late: 'never', refusals: 'silent', matched: false, query: false },
  ...{ events: 'none', who: 'none', wrongCodes: false },
  ...{
    cards: false,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'none',
    encrypted: false,
    warnings: [],
  },
};

export interface DriverTable extends Drivers {
  /** Adds a driver, before the first lock connects. Each kind has one driver. */
  add(driver: Driver): void;
}

export function createDriverTable({ locks }: { readonly locks: Pick<LockStore, 'get'> }): DriverTable {
  const drivers = new Map<string, Driver>();

  function driverOf(lockId: LockId): Driver | undefined {
    const lock = locks.get(lockId);
    return lock && drivers.get(lock.driver.kind);
  }

  return {
    add(driver) {
      if (drivers.has(driver.kind)) throw new Error(`there are two drivers of the kind ${driver.kind}`);
      drivers.set(driver.kind, driver);
    },
    // A lock that was just removed is in no store any more, but its connection must still be found and closed. No lockId is given twice.
    session(lockId) {
      for (const driver of drivers.values()) {
        const session = driver.session(lockId);
        if (session !== undefined) return session;
      }
      return undefined;
    },
    disconnect(lockId, reason) {
      for (const driver of drivers.values()) driver.disconnect(lockId, reason);
    },
    can(lockId, what) {
      const lock = locks.get(lockId);
      return lock !== undefined && drivers.get(lock.driver.kind)?.capabilities(lock)[what] === true;
    },
    capabilities: (lock) => drivers.get(lock.driver.kind)?.capabilities(lock) ?? nothing,
    alwaysSends(lockId, op) {
      const lock = locks.get(lockId);
      return lock !== undefined && drivers.get(lock.driver.kind)?.alwaysSends?.(lock, op) === true;
    },
    passcodeForm: (lock) => drivers.get(lock.driver.kind)?.passcodeForm,
    accept(lock) {
      for (const driver of drivers.values()) driver.accept?.(lock);
    },
    timezoneChanged: (lockId) => driverOf(lockId)?.timezoneChanged?.(lockId),
    expiredEarly: (lockId) => driverOf(lockId)?.expiredEarly?.(lockId),
    ofKind: (kind) => drivers.get(kind),
  };
}
