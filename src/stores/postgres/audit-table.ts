// The audit log in PostgreSQL: an entry is written when an action begins, and replaced when it has ended. Attempts that changed nothing have a
// bound of their own, so that they push out no other entries.
import type { AuditEntry } from '../../domain/audit/audit-action.ts';
import type { AuditQuery, AuditStore, AuditWanted } from '../../domain/audit/audit-ports.ts';
import type { Log } from '../../domain/part.ts';
import { recordDaysAtMost, retentionCutoff } from '../../domain/records/record.ts';
import type { Database, Writer } from './database.ts';
import { createGroupWrites } from './group-writes.ts';
import { storageFailure } from './storage-failure.ts';
import { storableText } from './text-column.ts';

/** Entries of a statement. */
const mostAtOnce = 500;
/** Nobody makes so many entries in six months; the limit keeps somebody who does from filling the disk. */
const mostEntries = { audit: 250_000, attempts: 125_000 } as const;
/** After so many new ones it is looked whether there are too many. */
const looksEvery = 1_000;

/** Of the columns that `auditColumns` gives. */
export const auditUpsert = `WITH entries AS (
    INSERT INTO audit (audit_id, at, is_attempt, username, action, object, is_ok, words, body)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bool[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[], $9::json[])
    ON CONFLICT (audit_id) DO UPDATE SET (at, username, action, object, is_ok, words, body) =
      (excluded.at, excluded.username, excluded.action, excluded.object, excluded.is_ok, excluded.words, excluded.body))
  SELECT advance('audit', 0)`;
const matching = `at >= $1 AND at <= $2 AND ($3::text IS NULL OR username = $3) AND ($4::text IS NULL OR action = $4)
  AND ($5::bool IS NULL OR is_ok = $5) AND ($6::text IS NULL OR object = $6 OR right(object, length($6) + 4) = ' of ' || $6)
  AND ($7::text IS NULL OR position($7 IN words) > 0)`;
function pageIn(order: 'ASC' | 'DESC'): string {
  return `SELECT counted.total, page.body FROM (SELECT count(*) AS total FROM audit WHERE ${matching}) AS counted LEFT JOIN (
    SELECT audit_id, body FROM audit WHERE ${matching} ORDER BY audit_id ${order} OFFSET $8 LIMIT $9) AS page ON true ORDER BY audit_id ${order}`;
}
const [oldestPage, newestPage] = [pageIn('ASC'), pageIn('DESC')];
const dropOld = `WITH old AS (DELETE FROM audit WHERE at < $1 RETURNING 1) SELECT advance('audit', 0), (SELECT count(*) FROM old) AS deleted`;
const dropSurplus = `WITH surplus AS (DELETE FROM audit WHERE is_attempt = $1 AND audit_id <=
    (SELECT audit_id FROM audit WHERE is_attempt = $1 ORDER BY audit_id DESC OFFSET $2 LIMIT 1) RETURNING 1)
  SELECT advance('audit', 0), (SELECT count(*) FROM surplus) AS deleted`;

export interface WrittenEntry {
  readonly entry: AuditEntry;
  readonly isAttempt: boolean;
}

export interface AuditLogTable extends AuditStore {
  /** Deletes entries older than six calendar months. Resolves with how many. `storage-unavailable`. */
  purge(now: number): Promise<number>;
  idle(): Promise<void>;
}

export function createAuditLogTable({
  database,
  writer,
  log,
}: {
  readonly database: Pick<Database, 'query'>;
  readonly writer: Writer;
  readonly log: Log;
}): AuditLogTable {
  const writes = createGroupWrites<WrittenEntry>(mostAtOnce, write);
  const sinceLook = { audit: 0, attempts: 0 };

  async function write(group: readonly WrittenEntry[]): Promise<void> {
    // Of two with one id the later one holds.
    const some = [...new Map(group.map((one) => [one.entry.id, one])).values()];
    await writer.write(auditUpsert, auditColumns(some)).catch(storageFailure);
    for (const name of ['audit', 'attempts'] as const) {
      sinceLook[name] += some.filter(({ isAttempt }) => isAttempt === (name === 'attempts')).length;
      if (sinceLook[name] >= looksEvery) await trim(name);
    }
  }
  async function trim(name: keyof typeof mostEntries): Promise<void> {
    sinceLook[name] = 0;
    const [row] = await writer
      .write<{ deleted: number }>(dropSurplus, [name === 'attempts', mostEntries[name]])
      // The next look tries again.
      .catch(() => []);
    if (row !== undefined && row.deleted > 0)
      log.warn(
        { code: 'audit-full', folder: name, deleted: row.deleted },
        'the oldest part of the audit log was deleted: there are too many entries',
      );
  }

  return {
    async nextId() {
      const [row] = await database.query<{ id: number }>("SELECT nextval('audit_id') AS id").catch(storageFailure);
      return (row as { id: number }).id;
    },
    append: (entry) => writes.add({ entry, isAttempt: false }),
    appendAttempt: (entry) => writes.add({ entry, isAttempt: true }),
    async page({ from, to, pageNo, pageSize, oldestFirst = false, ...wanted }: AuditQuery) {
      const offset = Math.min((pageNo - 1) * pageSize, Number.MAX_SAFE_INTEGER);
      const values = [from, to, ...filterOf(wanted), offset, pageSize];
      const sql = oldestFirst ? oldestPage : newestPage;
      const rows = await database.query<{ total: number; body: AuditEntry | null }>(sql, values).catch(storageFailure);
      return { list: rows.flatMap(({ body }) => body ?? []), total: rows[0]?.total ?? 0 };
    },
    async purge(now) {
      const [row] = await writer.write<{ deleted: number }>(dropOld, [retentionCutoff(now, recordDaysAtMost)]).catch(storageFailure);
      return row?.deleted ?? 0;
    },
    idle: writes.idle,
  };
}

export function auditColumns(some: readonly WrittenEntry[]): readonly unknown[] {
  return [
    some.map(({ entry }) => entry.id),
    some.map(({ entry }) => entry.at),
    some.map(({ isAttempt }) => isAttempt),
    some.map(({ entry }) => storableText(entry.username)),
    some.map(({ entry }) => entry.action),
    some.map(({ entry }) => storableText(entry.object)),
    some.map(({ entry }) => entry.outcome === 'ok'),
    some.map(({ entry }) => wordsOf(entry)),
    some.map(({ entry }) => JSON.stringify(entry)),
  ];
}

function wordsOf({ username, address, object, detail }: AuditEntry): string {
  return storableText([username, address, object, detail].join('\n').toLowerCase());
}

function filterOf({ username, action, success, object, search }: AuditWanted): readonly unknown[] {
  const texts = [username, object, search?.toLowerCase()].map((text) => (text === undefined ? null : storableText(text)));
  const [named, about, words] = texts;
  return [named, action ?? null, success ?? null, about, words];
}
