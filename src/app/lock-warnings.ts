// What somebody should switch at locks of other makes, for `latchd doctor`.
import type { CapabilityWarning } from '../domain/locks/capabilities.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { LockStore } from '../domain/locks/lock-ports.ts';

export interface LockWarning {
  readonly warning: CapabilityWarning;
  /** Of how many locks. */
  readonly locks: number;
  /** The name of the first of them. */
  readonly first: string;
}

/** Each warning once. */
export function lockWarnings(locks: Pick<LockStore, 'all'>, drivers: Pick<Drivers, 'capabilities'>): readonly LockWarning[] {
  const found = new Map<CapabilityWarning, LockWarning>();
  for (const lock of locks.all()) {
    for (const warning of drivers.capabilities(lock).warnings) {
      const { locks: count, first } = found.get(warning) ?? { locks: 0, first: lock.name };
      found.set(warning, { warning, locks: count + 1, first });
    }
  }
  return [...found.values()];
}
