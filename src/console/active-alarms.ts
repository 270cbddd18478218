// Which alarms the console shows: those whose cause still exists.
import type { Alarm } from './api/types.ts';

/** Leaves out `offline` of locks that are back: it stays active for a minute, and a tile would say offline and online at once. */
export function activeAlarms(
  alarms: readonly Alarm[],
  locks: ReadonlyMap<number, { readonly online: boolean }> | undefined,
): readonly Alarm[] {
  return alarms.filter(({ kind, lockId }) => kind !== 'offline' || lockId === null || locks?.get(lockId)?.online !== true);
}
