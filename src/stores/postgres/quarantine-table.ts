// Messages of locks that cannot become records, for a person to look at; the newest ones.
import type { Clock } from '../../domain/clock.ts';
import type { Quarantine } from '../../domain/records/record-ports.ts';
import type { Writer } from './database.ts';
import { createGroupWrites } from './group-writes.ts';
import { storageFailure } from './storage-failure.ts';

const mostPayloadLength = 65_536;
/** Messages of a statement. */
const mostAtOnce = 32;
/** The newest of so many bytes stay. */
const mostBytes = 1 << 20;
/** What a message takes besides its payload. */
const rowBytes = 256;

const insert = `WITH added AS (
    INSERT INTO quarantine (at, device_id, reason, payload) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]))
  SELECT advance('report', 0)`;
const drop = `WITH surplus AS (DELETE FROM quarantine WHERE id <= (SELECT max(id) FROM (
    SELECT id, sum(octet_length(payload) + ${rowBytes}) OVER (ORDER BY id DESC) AS bytes FROM quarantine) AS sums WHERE bytes > ${mostBytes}))
  SELECT advance('report', 0)`;

interface Message {
  readonly at: number;
  readonly deviceId: string;
  readonly reason: Buffer;
  readonly payload: Buffer;
}

export interface QuarantineTable extends Quarantine {
  idle(): Promise<void>;
}

export function createQuarantineTable({ writer, clock }: { readonly writer: Writer; readonly clock: Clock }): QuarantineTable {
  const writes = createGroupWrites<Message>(mostAtOnce, write);
  /** Bytes since the oldest ones were deleted; the first message looks after what earlier processes have left. */
  let bytes = mostBytes;

  async function write(group: readonly Message[]): Promise<void> {
    await writer
      .write(insert, [
        group.map(({ at }) => at),
        group.map(({ deviceId }) => deviceId),
        group.map(({ reason }) => reason),
        group.map(({ payload }) => payload),
      ])
      .catch(storageFailure);
    bytes += group.reduce((sum, { payload }) => sum + payload.length + rowBytes, 0);
    if (bytes < mostBytes) return;
    bytes = 0;
    // The messages are stored; whoever comes next tries again.
    await writer.write(drop).catch(() => {
      bytes = mostBytes;
    });
  }

  return {
    keep: (deviceId, reason, payload) =>
      writes.add({ at: clock.now(), deviceId, reason: Buffer.from(reason), payload: Buffer.from(payload.slice(0, mostPayloadLength)) }),
    idle: writes.idle,
  };
}
