// Which alarms the console shows: those whose cause still exists.
import type { Alarm } from './api/types.ts';

/** What a lock says of itself. */
interface Said {
  readonly online: boolean;
  readonly state: 'locked' | 'unlocked' | null;
  readonly stateSure: boolean;
}

/** Alarms stay active for a minute after their cause is gone, and a tile would say offline and online at once: these are left out. */
export function activeAlarms(alarms: readonly Alarm[], locks: ReadonlyMap<number, Said> | undefined): readonly Alarm[] {
  return alarms.filter(({ kind, lockId }) => {
    const lock = lockId === null ? undefined : locks?.get(lockId);
    return lock === undefined || !isOver(kind, lock);
  });
}

function isOver(kind: string, { online, state, stateSure }: Said): boolean {
  if (kind === 'offline') return online;
  const isSure = online && stateSure;
  // After a jam the state is not sure before the bolt has moved.
  if (kind === 'jammed') return isSure;
  return kind === 'auto-lock-late' && isSure && state === 'locked';
}
