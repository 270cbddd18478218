// After a restore nothing is put on locks or taken off them by the gateway itself: the locks may hold what people decided after the backup.
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { Part } from '../part.ts';
import type { Entry } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';

export interface PauseStore {
  /** Since when, by the clock of the restore; null: it is not paused. */
  since(): number | null;
  /** Durable when it resolves. Rejects with `storage-unavailable`. */
  end(): Promise<void>;
}

export interface AccessPause extends Part {
  isPaused(): boolean;
  /** As in `PauseStore`. */
  since(): number | null;
  /** A person has compared, and wants to go on. */
  end(): Promise<void>;
}

export function createAccessPause(store: PauseStore, alarms: Pick<AlarmService, 'raise' | 'clear'>): AccessPause {
  const isPaused = (): boolean => store.since() !== null;
  return {
    name: 'access-pause',
    async start() {
      const since = store.since();
      if (since === null) alarms.clear('access-paused', null);
      else alarms.raise('access-paused', null, { since, reason: 'a backup was restored: compare, then resume' });
    },
    async stop() {},
    isPaused,
    since: store.since,
    async end() {
      await store.end();
      alarms.clear('access-paused', null);
    },
  };
}

/**
 * One-time codes that were not on this lock at the backup may have been put there since, and used: they are not put there again. A lock whose
 * entries cannot be read gets none.
 */
export async function useUpCodes(entries: EntryStore, lockId: LockId, since: number): Promise<void> {
  const isOpen = ({ direct, held, used, createdAt }: Entry) => direct?.once === true && held === null && !used && createdAt <= since;
  const there = await entries.of(lockId).catch(() => undefined);
  const open = there?.entries.filter(isOpen) ?? [];
  if (open.length === 0) return;
  await entries.update(lockId, (newest) => ({
    put: open.flatMap(({ entryId }) => {
      const entry = newest.byId(entryId);
      return entry !== undefined && isOpen(entry) ? [{ ...entry, used: true }] : [];
    }),
  }));
}
