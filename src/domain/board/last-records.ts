// The newest record of each lock, for the board. It follows every stored record; those of before are read at the start, behind everything else.
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LocalLockView } from '../locks/lock-ports.ts';
import type { Part } from '../part.ts';
import type { LockRecord } from '../records/record.ts';
import type { RecordStore } from '../records/record-ports.ts';

export type LastRecord = Pick<LockRecord, 'recordId' | 'type' | 'username' | 'success' | 'lockDate'>;

export interface LastRecords extends Part {
  /** The one with the highest recordId; undefined: the lock has none, or it is not read yet. */
  of(lockId: LockId): LastRecord | undefined;
  /** Resolves when those of before the start are known, or cannot be read now. Never rejects. */
  ready(): Promise<void>;
}

/** Of one look. */
const locksAtOnce = 500;

export function createLastRecords(options: {
  readonly locks: Pick<LocalLockView, 'all'>;
  readonly records: Pick<RecordStore, 'newestOf'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): LastRecords {
  const { locks, records, events } = options;
  const last = new Map<LockId, LastRecord>();
  let isStopped = false;
  let reading: Promise<void> | undefined;

  function keep(lockId: LockId, { type, username, success, lockDate }: Omit<LastRecord, 'recordId'>, recordId: number): void {
    last.set(lockId, { recordId, type, username, success, lockDate });
  }
  async function readAll(): Promise<void> {
    const wanted = locks.all().map(({ lockId }) => lockId);
    for (let from = 0; from < wanted.length && !isStopped; from += locksAtOnce) {
      const some = wanted.slice(from, from + locksAtOnce).filter((lockId) => !last.has(lockId));
      // A newer one may have been stored meanwhile.
      for (const newest of await records.newestOf(some)) if (!last.has(newest.lockId)) keep(newest.lockId, newest, newest.recordId);
    }
  }
  function ready(): Promise<void> {
    // After a failure the next call tries again.
    reading ??= readAll().catch(() => {
      reading = undefined;
    });
    return reading;
  }

  events.subscribe('records-stored', ({ lockId, drafts, firstRecordId }) => {
    const newest = drafts.at(-1);
    if (newest !== undefined) keep(lockId, newest, firstRecordId + drafts.length - 1);
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before !== undefined && after === undefined) last.delete(before.lockId);
  });

  return {
    name: 'last-records',
    // The start does not wait for it.
    async start() {
      void ready();
    },
    async stop() {
      isStopped = true;
      await reading;
    },
    of: (lockId) => last.get(lockId),
    ready,
  };
}
