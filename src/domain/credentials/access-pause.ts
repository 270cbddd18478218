// After a restore nothing is put on locks or taken off them by the gateway itself: the locks may hold what people decided after the backup.
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { Part } from '../part.ts';

export interface PauseStore {
  /** Since when, by the clock of the restore; null: it is not paused. */
  since(): number | null;
  /** Durable when it resolves. Rejects with `storage-unavailable`. */
  end(): Promise<void>;
}

export interface AccessPause extends Part {
  isPaused(): boolean;
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
    async end() {
      await store.end();
      alarms.clear('access-paused', null);
    },
  };
}
