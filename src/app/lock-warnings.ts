// What somebody should see to at locks, for `latchd doctor`: what to switch at those of other makes, and those that nobody has heard of yet.
import type { CapabilityWarning } from '../domain/locks/capabilities.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { LockStore, StatusStore } from '../domain/locks/lock-ports.ts';

export interface LockWarning {
  readonly warning: CapabilityWarning | 'never-heard';
  /** Of how many locks. */
  readonly locks: number;
  /** The name of the first of them. */
  readonly first: string;
}

/** Each warning once. */
export function lockWarnings(
  locks: Pick<LockStore, 'all'>,
  statuses: Pick<StatusStore, 'get'>,
  drivers: Pick<Drivers, 'capabilities'>,
): readonly LockWarning[] {
  const found = new Map<LockWarning['warning'], LockWarning>();
  for (const lock of locks.all()) {
    const { lastSeenAt } = statuses.get(lock.lockId);
    for (const warning of [...drivers.capabilities(lock).warnings, ...(lastSeenAt === null ? (['never-heard'] as const) : [])]) {
      const { locks: count, first } = found.get(warning) ?? { locks: 0, first: lock.name };
      found.set(warning, { warning, locks: count + 1, first });
    }
  }
  return [...found.values()];
}
