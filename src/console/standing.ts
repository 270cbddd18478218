// Which alarms are shown: those whose cause is there.
import type { Alarm } from './api/types.ts';

/** Without `offline` of locks that are back: the gateway keeps it for a minute, and a tile would say offline and online at once. */
export function standing(alarms: readonly Alarm[], locks: ReadonlyMap<number, { readonly online: boolean }> | undefined): readonly Alarm[] {
  return alarms.filter(({ kind, lockId }) => kind !== 'offline' || lockId === null || locks?.get(lockId)?.online !== true);
}
