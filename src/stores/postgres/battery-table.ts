// How the battery of each lock went: in memory at once, in the database within the hour and at a clean stop; a lock reports again what is lost.
import type { Clock } from '../../domain/clock.ts';
import type { BatteryLevel, LockId } from '../../domain/locks/lock.ts';
import type { BatteryStore } from '../../domain/locks/lock-ports.ts';
import type { Log } from '../../domain/part.ts';
import type { Database, Writer } from './database.ts';
import { createReportWrites, createUnsaved } from './report-writes.ts';
import { slicesOf } from './slices.ts';

const saveDelayMs = 3_600_000;

const load = 'SELECT lock_id AS "lockId", levels FROM battery WHERE lock_id > $1 ORDER BY lock_id LIMIT 1000';
const write = `WITH gone AS (DELETE FROM battery WHERE lock_id = ANY ($3::bigint[])),
  there AS (INSERT INTO battery (lock_id, levels) SELECT * FROM unnest($1::bigint[], $2::json[])
    ON CONFLICT (lock_id) DO UPDATE SET levels = excluded.levels)
  SELECT advance('report', 0)`;

const none: readonly BatteryLevel[] = [];

export interface BatteryTable extends BatteryStore {
  open(): Promise<void>;
  /** Writes what is not written yet. Never rejects. */
  close(): Promise<void>;
}

export function createBatteryTable(options: {
  readonly database: Pick<Database, 'query'>;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly log: Log;
}): BatteryTable {
  const { database, writer, clock, log } = options;
  const known = new Map<LockId, readonly BatteryLevel[]>();
  const writes = createReportWrites({ clock, unsaved: createUnsaved(log, 'the battery levels'), delayMs: saveDelayMs, write: store });

  async function store(lockIds: readonly LockId[]): Promise<void> {
    const there = lockIds.filter((lockId) => known.has(lockId));
    const levels = there.map((lockId) => JSON.stringify(known.get(lockId)));
    await writer.write(write, [there, levels, lockIds.filter((lockId) => !known.has(lockId))]);
  }

  return {
    async open() {
      type Row = { readonly lockId: LockId; readonly levels: readonly BatteryLevel[] };
      for await (const some of slicesOf<Row>(database.query, load, { first: [0], keyOf: ({ lockId }) => [lockId] }))
        for (const { lockId, levels } of some) known.set(lockId, levels);
    },
    levels: async (lockId) => known.get(lockId) ?? none,
    async update(lockId, change) {
      const before = known.get(lockId) ?? none;
      const after = change(before);
      if (after === before) return;
      known.set(lockId, after);
      writes.touch(lockId);
    },
    async remove(lockId) {
      if (known.delete(lockId)) writes.touch(lockId);
    },
    close: writes.close,
  };
}
