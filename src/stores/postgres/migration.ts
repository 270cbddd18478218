// Moves everything between a data directory and a database, either way. Nothing is left at the target when it fails, and the source is closed
// when it succeeds: a daemon that starts there says where the data went.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AuditAction } from '../../domain/audit/audit-action.ts';
import { appendOfflineAudit } from '../files/audit/offline-audit.ts';
import { giveName } from '../files/backup/restore.ts';
import { findRestoreTarget } from '../files/backup/restore-target.ts';
import { migratedName, movedTo } from '../files/claim-directory.ts';
import { dataIn, isData } from '../files/data-directory.ts';
import { createDirectoryLock } from '../files/directory-lock.ts';
import { type Counters, leapt } from '../files/documents/counter-file.ts';
import { removeIfThere } from '../files/documents/durable-file.ts';
import { pauseFormat, pauseName } from '../files/documents/pause-file.ts';
import type { FileLayer } from '../files/files.ts';
import { verify } from '../files/verify/verify.ts';
import type { Database, Query } from './database.ts';
import { moveIn } from './move-in.ts';
import { moveOut, ofOneMoment } from './move-out.ts';
import { addAuditEntry, alone, asWriter, type OfflineOptions, requireData, requireNobody, withDatabase } from './offline.ts';
import { migrate } from './schema.ts';

export interface MigrationOptions extends OfflineOptions {
  readonly directory: string;
  readonly files: FileLayer;
}

/** How much was moved. */
export interface Moved {
  readonly locks: number;
  readonly cards: number;
  readonly accounts: number;
  readonly records: number;
}

/** Of this installation or this machine alone. */
const staysBehind = ['admin.token', 'broker-client.id'];
/** More lines than the access log and the audit log get between two copies of a database. */
const leapOfLogs = 10_000_000;

/**
 * Rejects with one sentence; then the database is as it was. The directory is closed afterwards. `auditAction`: the line of the move in the
 * audit log that was moved; absent: it has one already.
 */
export async function moveToDatabase(options: MigrationOptions, auditAction?: AuditAction): Promise<Moved> {
  const { directory, url, files, clock, log } = options;
  const { findings } = await verify(directory);
  const [first] = findings;
  if (first !== undefined) throw new Error(`${directory} is damaged (${first.file}: ${first.problem}): see \`latchd verify\``);
  const lock = createDirectoryLock({ files, directory, log });
  await lock.acquire();
  const note = join(directory, migratedName);
  try {
    // Whoever sees the note later, at a failure, sees the one that was written here.
    await requireUnmoved(files, directory);
    const names = (await dataIn(directory, () => true)).filter((name) => !staysBehind.includes(name));
    return await withDatabase(options, async (database) => {
      const hadSchema = await database.transaction((query) => query("SELECT FROM pg_namespace WHERE nspname = 'latchd'"));
      try {
        await migrate(database);
        await requireNobody(options);
        return await alone(database, async (query) => {
          await requireEmpty(query, url);
          await asWriter(query, async () => {
            await moveIn({ query, files, directory, names });
            if (auditAction !== undefined) await addAuditEntry(query, clock.now(), auditAction);
          });
          // Before the commit: at no moment both may serve.
          await writeNote(files, note, url);
          return countAll(query);
        });
      } catch (error) {
        await removeIfThere(files, note);
        if (hadSchema.length === 0)
          await database.transaction((query) => query('DROP SCHEMA IF EXISTS latchd CASCADE')).catch(() => undefined);
        throw error;
      }
    });
  } finally {
    await lock.release();
  }
}

/** Rejects with one sentence; then nothing is left of the directory. The database is closed afterwards. `auditAction`: as in `moveToDatabase`. */
export async function moveToDirectory(options: MigrationOptions, auditAction: AuditAction): Promise<Moved> {
  const { files, clock, url } = options;
  const { directory, making, owner } = await findRestoreTarget(files, resolve(options.directory), 'data is moved');
  let isNamed = false;
  try {
    return await withDatabase(options, async (database) => {
      await migrate(database);
      await requireNobody(options);
      return alone(database, async (query) => {
        await requireData(query, url);
        await moveOut({ query, files, directory: making, wanted: () => true });
        await appendOfflineAudit({ files, directory: making, now: clock.now() }, auditAction, async () => undefined);
        const [first] = (await verify(making)).findings;
        if (first !== undefined) throw new Error(`the data in ${url} is damaged (${first.file}: ${first.problem})`);
        await query('INSERT INTO closed (target) VALUES ($1)', [directory]);
        await query('UPDATE head SET writer = NULL');
        const moved = await countAll(query);
        await giveName(files, making, directory, owner);
        isNamed = true;
        return moved;
      });
    });
  } catch (error) {
    if (isNamed) await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** Makes the directory with what the database has at one moment, also while a daemon works on it. Rejects with one sentence. */
export async function exportDatabase(options: MigrationOptions): Promise<void> {
  const { directory, files, url } = options;
  await rm(directory, { recursive: true, force: true });
  await files.makeFolder(directory);
  await withDatabase(options, async (database) => {
    await requireData(database.query, url);
    await exportSnapshot(database, files, directory, isData);
  });
}

/** As `exportDatabase`, over connections that are there. */
export function exportSnapshot(
  database: Pick<Database, 'transaction'>,
  files: FileLayer,
  directory: string,
  wanted: (name: string) => boolean,
): Promise<void> {
  return database.transaction(async (query) => {
    await query(`${ofOneMoment}; SET LOCAL idle_in_transaction_session_timeout = 0`);
    await moveOut({ query, files, directory, wanted });
  });
}

/**
 * For a database that its own tools have brought back as it was earlier: no number that was given since is given again, and nothing is sent to
 * locks before somebody has looked. Rejects with one sentence.
 */
export async function leapDatabase(options: MigrationOptions, now: number): Promise<void> {
  await withDatabase(options, async (database) => {
    await migrate(database);
    await requireNobody(options);
    await alone(database, async (query) => {
      const sql = 'SELECT body::text, change_no AS version FROM document JOIN document_row USING (name) WHERE name = $1';
      const [found] = await query<{ body: string; version: number }>(sql, ['counters.json']);
      if (found === undefined) throw new Error(`there is no data of latchd in ${options.url}`);
      const { schemaVersion, ...counters } = JSON.parse(found.body) as Counters & { readonly schemaVersion: number };
      const [records] = await query<{ last: number }>("SELECT last FROM head WHERE feed = 'record'");
      const after = leapt({ ...counters, recordId: Math.max(counters.recordId, records?.last ?? 0) }, now);
      await asWriter(query, async () => {
        const write = (name: string, version: number, content: object) =>
          query('SELECT write_document($1, $2, false, true, NULL, $3, $4)', [
            name,
            version,
            [''],
            [`${JSON.stringify(content, null, 1)}\n`],
          ]);
        await write('counters.json', found.version, { schemaVersion, ...after });
        const [paused] = await query<{ version: number }>('SELECT change_no AS version FROM document WHERE name = $1', [pauseName]);
        await write(pauseName, paused?.version ?? 0, { schemaVersion: pauseFormat.schemaVersion, since: now });
        await query("UPDATE head SET gone = gone + $1 - last, last = $1 WHERE feed = 'record'", [after.recordId]);
        await query("UPDATE head SET last = last + $1 WHERE feed = 'access'", [leapOfLogs]);
        await query("SELECT setval('audit_id', nextval('audit_id') + $1)", [leapOfLogs]);
        await addAuditEntry(query, now, { action: 'recovered', object: 'database' });
      });
    });
  });
}

async function requireUnmoved(files: FileLayer, directory: string): Promise<void> {
  const target = await movedTo(files, directory);
  if (target !== undefined) throw new Error(`${directory} was moved to ${target} already: nothing was changed`);
}

async function requireEmpty(query: Query, url: string): Promise<void> {
  const [row] = await query<{ has: boolean }>('SELECT EXISTS (SELECT FROM document) OR EXISTS (SELECT FROM record) AS has');
  if (row?.has !== false) throw new Error(`${url} is not empty: data is moved to an empty database only`);
}

async function countAll(query: Query): Promise<Moved> {
  const [counts] = await query<Moved>(
    `SELECT (SELECT count(*) FROM document WHERE name LIKE 'locks/%') AS locks,
       (SELECT count(*) FROM document_row WHERE name LIKE 'cards/%' AND key LIKE 'entry %' AND body ->> 'kind' = 'card') AS cards,
       (SELECT count(*) FROM document_row WHERE name = 'accounts.jsonl' AND key LIKE 'account %') AS accounts,
       (SELECT count(*) FROM record) AS records`,
  );
  return counts as Moved;
}

async function writeNote(files: FileLayer, path: string, target: string): Promise<void> {
  const file = await files.open(path, 'replace');
  try {
    await file.write(Buffer.from(`${target}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}
