// The one statement that stores events: in one message, so that no process can stand still in the middle of it. A stream that somebody else has
// changed is left out with its events; the numbers are taken last, so that they have no gaps and rise in the order of commits.
import type { Reservation } from '../../domain/records/event-deduplication.ts';
import { mostCommandRanges } from '../../domain/records/used-commands.ts';
import { multirangeText } from './multirange.ts';
import { storableText } from './text-column.ts';

/** A reservation that has events to store. */
export type StorableEvents = Reservation & { readonly epoch: NonNullable<Reservation['epoch']> };

export interface IngestAnswer {
  /** The highest recordId. */
  readonly last: number;
  /** The streams of which the events were stored, by their places from 1; null: none. */
  readonly stored: readonly number[] | null;
}

export const ingestStatement = `
WITH input AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::int8multirange[], $5::bigint[], $6::int[], $7::int8multirange[])
    WITH ORDINALITY AS i(lock_id, epoch, version, added, newest_at, count, commands, place)),
former AS (
  UPDATE stream s SET ranges = s.ranges + i.added, version = s.version + 1, newest_at = greatest(s.newest_at, i.newest_at) FROM input i
  WHERE s.lock_id = i.lock_id AND s.epoch = i.epoch AND s.version = i.version RETURNING i.place),
fresh AS (
  INSERT INTO stream (lock_id, epoch, version, ranges, newest_at) SELECT lock_id, epoch, 1, added, newest_at FROM input WHERE version = 0
  ON CONFLICT DO NOTHING RETURNING lock_id, epoch),
stored AS (
  SELECT input.* FROM input JOIN former USING (place) UNION ALL SELECT input.* FROM input JOIN fresh USING (lock_id, epoch)),
used AS (
  INSERT INTO used_command (lock_id, ranges) SELECT lock_id, range_agg(commands) FROM stored WHERE NOT isempty(commands) GROUP BY lock_id
  ON CONFLICT (lock_id) DO UPDATE SET ranges = at_most(used_command.ranges + excluded.ranges, ${mostCommandRanges})),
head AS (
  SELECT advance('record', total) AS last, total FROM (SELECT coalesce(sum(count), 0)::bigint AS total FROM stored) AS counted),
inserted AS (
  INSERT INTO record (record_id, lock_id, epoch, seq, type, success, credential, username, lock_date, server_date, reported_date, undated,
    reason, command, entry_id)
  SELECT head.last - head.total + row_number() OVER (ORDER BY e.place), stored.lock_id, stored.epoch, e.seq, e.type, e.success, e.credential,
    e.username, e.lock_date, e.server_date, e.reported_date, e.undated, e.reason, e.command, e.entry_id
  FROM unnest($8::int[], $9::bigint[], $10::text[], $11::bool[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
    $17::bool[], $18::text[], $19::bigint[], $20::bigint[]) WITH ORDINALITY AS e(stream, seq, type, success, credential, username, lock_date,
    server_date, reported_date, undated, reason, command, entry_id, place)
  JOIN stored ON stored.place = e.stream CROSS JOIN head)
SELECT head.last, (SELECT array_agg(place::int) FROM stored) AS stored FROM head`;

/** What one statement adds to one stream. */
interface StreamChange {
  readonly epoch: StorableEvents['epoch'];
  readonly place: number;
  readonly seqs: number[];
  readonly commands: number[];
  newestAt: number;
}

/** The events of a batch, column by column. */
export function ingestValues(batch: readonly StorableEvents[]): {
  readonly values: readonly unknown[];
  readonly streams: readonly StreamChange[];
} {
  const streams = new Map<StorableEvents['epoch'], StreamChange>();
  const columns: unknown[][] = Array.from({ length: 13 }, () => []);
  for (const { epoch, fresh } of batch) {
    const stream = streams.get(epoch) ?? { epoch, place: streams.size + 1, seqs: [], commands: [], newestAt: Number.MIN_SAFE_INTEGER };
    streams.set(epoch, stream);
    for (const draft of fresh) {
      const { seq, type, success, credential, username, lockDate, serverDate, reportedDate, undated, reason, command, entryId } = draft;
      stream.seqs.push(seq);
      if (command !== undefined) stream.commands.push(command);
      stream.newestAt = Math.max(stream.newestAt, serverDate);
      const texts = [storableText(type), success, storableText(credential), storableText(username)];
      const row = [
        stream.place,
        seq,
        ...texts,
        lockDate,
        serverDate,
        reportedDate,
        undated,
        reason && storableText(reason),
        command,
        entryId,
      ];
      for (const [n, value] of row.entries()) columns[n]?.push(value ?? null);
    }
  }
  const changes = [...streams.values()];
  const ofStreams = [
    changes.map(({ epoch }) => epoch.lockId),
    changes.map(({ epoch }) => storableText(epoch.name)),
    changes.map(({ epoch }) => epoch.version),
    changes.map(({ seqs }) => numbersText(seqs)),
    changes.map(({ newestAt }) => newestAt),
    changes.map(({ seqs }) => seqs.length),
    changes.map(({ commands }) => numbersText(commands)),
  ];
  return { values: [...ofStreams, ...columns], streams: changes };
}

function numbersText(numbers: readonly number[]): string {
  return multirangeText(numbers.map((one) => [one, one]));
}
