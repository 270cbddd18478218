// What the database says to be stored of each lock, read some at a time.
import type { LockId } from '../../domain/locks/lock.ts';
import type { Remembered } from '../../domain/records/event-deduplication.ts';
import type { Query } from './database.ts';
import { rangesOf } from './multirange.ts';
import { slicesOf } from './slices.ts';
import { originalText } from './text-column.ts';

const rowsAtOnce = 2_000;
const streams = `SELECT lock_id AS "lockId", epoch, version, ranges::text, newest_at AS "newestAt" FROM stream
  WHERE (lock_id, epoch) > ($1, $2) AND ($3::bigint[] IS NULL OR lock_id = ANY ($3)) ORDER BY lock_id, epoch LIMIT ${rowsAtOnce}`;
const usedCommands = `SELECT lock_id AS "lockId", ranges::text FROM used_command
  WHERE lock_id > $1 AND ($2::bigint[] IS NULL OR lock_id = ANY ($2)) ORDER BY lock_id LIMIT ${rowsAtOnce}`;

interface CommandsRow {
  readonly lockId: LockId;
  readonly ranges: string;
}
interface StreamRow extends CommandsRow {
  readonly epoch: string;
  readonly version: number;
  readonly newestAt: number;
}

/** Of these locks; null: of all. */
export async function* rememberedOf(query: Query, lockIds: readonly LockId[] | null): AsyncGenerator<Remembered> {
  const others = [lockIds];
  const byEpoch = { first: [0, ''], keyOf: ({ lockId, epoch }: StreamRow) => [lockId, epoch], others };
  for await (const some of slicesOf<StreamRow>(query, streams, byEpoch))
    yield {
      epochs: some.map(({ epoch, ranges, ...one }) => ({ ...one, epoch: originalText(epoch), ranges: rangesOf(ranges) })),
      commands: [],
    };
  const byLock = { first: [0], keyOf: ({ lockId }: CommandsRow) => [lockId], others };
  for await (const some of slicesOf<CommandsRow>(query, usedCommands, byLock))
    yield { epochs: [], commands: some.map(({ lockId, ranges }) => ({ lockId, ranges: rangesOf(ranges) })) };
}
