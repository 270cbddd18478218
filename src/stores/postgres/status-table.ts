// The last report of each lock: in memory at once, in the database within a quarter of a second, and when a lock was only heard of, within a
// minute; locks report again what is lost.
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { type LockId, type LockStatus, unknownStatus } from '../../domain/locks/lock.ts';
import type { StatusStore } from '../../domain/locks/lock-ports.ts';
import type { Log } from '../../domain/part.ts';
import type { Database, Writer } from './database.ts';
import { createReportWrites, createUnsaved } from './report-writes.ts';
import { slicesOf } from './slices.ts';

const reportMs = 250;
const lastSeenMs = 60_000;

const load = `SELECT lock_id AS "lockId", state, state_at AS "stateAt", battery_percent AS "batteryPercent", last_seen_at AS "lastSeenAt",
  cards_on_lock AS "cardsOnLock" FROM status WHERE lock_id > $1 ORDER BY lock_id LIMIT 5000`;
const write = `WITH gone AS (DELETE FROM status WHERE lock_id = ANY ($7::bigint[])),
  there AS (INSERT INTO status (lock_id, state, state_at, battery_percent, last_seen_at, cards_on_lock)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::int[], $5::bigint[], $6::int[])
    ON CONFLICT (lock_id) DO UPDATE SET (state, state_at, battery_percent, last_seen_at, cards_on_lock) =
      (excluded.state, excluded.state_at, excluded.battery_percent, excluded.last_seen_at, excluded.cards_on_lock))
  SELECT advance('report', 0)`;

export interface StatusTable extends StatusStore {
  /** Reads the reports of all locks but those that have reported here meanwhile. */
  open(): Promise<void>;
  /** Before `open`: another node serves again, and knows better. */
  forget(): void;
  /** Writes what is not written yet. Never rejects. */
  close(): Promise<void>;
}

export function createStatusTable(options: {
  readonly database: Pick<Database, 'query'>;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: Emit;
}): StatusTable {
  const { database, writer, clock, log, emit } = options;
  const known = new Map<LockId, LockStatus>();
  let isOpen = false;
  /** The locks that reported before it was open. */
  const early = new Set<LockId>();
  const shared = { clock, unsaved: createUnsaved(log, 'the status of the locks'), write: store };
  const reports = createReportWrites({ ...shared, delayMs: reportMs });
  /** Of locks that were only heard of: each message of a lock comes here. */
  const contacts = createReportWrites({ ...shared, delayMs: lastSeenMs });

  async function store(lockIds: readonly LockId[]): Promise<void> {
    const there = lockIds.flatMap((lockId) => {
      const status = known.get(lockId);
      return status === undefined ? [] : [{ lockId, ...status }];
    });
    await writer.write(write, [
      there.map(({ lockId }) => lockId),
      there.map(({ state }) => state),
      there.map(({ stateAt }) => stateAt),
      there.map(({ batteryPercent }) => batteryPercent),
      there.map(({ lastSeenAt }) => lastSeenAt),
      there.map(({ cardsOnLock }) => cardsOnLock),
      lockIds.filter((lockId) => !known.has(lockId)),
    ]);
  }

  return {
    async open() {
      // Again because something else could not be opened: what locks have reported meanwhile is newer.
      if (isOpen) return;
      type Row = LockStatus & { readonly lockId: LockId };
      for await (const some of slicesOf<Row>(database.query, load, { first: [0], keyOf: ({ lockId }) => [lockId] }))
        for (const { lockId, ...status } of some) known.set(lockId, early.has(lockId) ? updated(status, known.get(lockId)) : status);
      isOpen = true;
      for (const lockId of early) reports.touch(lockId);
      early.clear();
    },
    forget() {
      if (isOpen) return;
      known.clear();
      early.clear();
    },
    get: (lockId) => known.get(lockId) ?? unknownStatus,
    patch(lockId, change) {
      const before = known.get(lockId) ?? unknownStatus;
      const after = { ...before, ...change };
      known.set(lockId, after);
      if (isOpen) (isContact(change) ? contacts : reports).touch(lockId);
      else early.add(lockId);
      emit('status-changed', { lockId, before, after });
    },
    async remove(lockId) {
      if (known.delete(lockId)) reports.touch(lockId);
    },
    async close() {
      await Promise.all([reports.close(), contacts.close()]);
    },
  };
}

function updated(before: LockStatus, now = unknownStatus): LockStatus {
  const { state, stateAt } = now.state === null ? before : now;
  return {
    ...{ state, stateAt },
    batteryPercent: now.batteryPercent ?? before.batteryPercent,
    lastSeenAt: now.lastSeenAt ?? before.lastSeenAt,
    cardsOnLock: now.cardsOnLock ?? before.cardsOnLock,
  };
}

function isContact(change: Partial<LockStatus>): boolean {
  return Object.keys(change).every((name) => name === 'lastSeenAt');
}
