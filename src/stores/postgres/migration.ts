// Moves everything between a data directory and a database, either way. Nothing is left at the target when it fails, and the source is closed
// when it succeeds: a daemon that starts there says where the data went.
import { realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AuditAction } from '../../domain/audit/audit-action.ts';
import { appendOfflineAudit } from '../files/audit/offline-audit.ts';
import { giveName } from '../files/backup/restore.ts';
import { findRestoreTarget } from '../files/backup/restore-target.ts';
import { dataIn, isData } from '../files/data-directory.ts';
import { createDirectoryLock } from '../files/directory-lock.ts';
import { commandKeyName } from '../files/documents/command-key.ts';
import { type Counters, leapt } from '../files/documents/counter-file.ts';
import { pauseFormat, pauseName } from '../files/documents/pause-file.ts';
import type { FileLayer } from '../files/files.ts';
import { type MoveNote, readMoveNote, removeMoveNote, sayMoved, tryMoveAgain, writeMoveNote } from '../files/move-note.ts';
import { verify } from '../files/verify/verify.ts';
import type { Database, Query } from './database.ts';
import { moveIn } from './move-in.ts';
import { moveOut, ofOneMoment } from './move-out.ts';
import { countAll, type Moved, type MoveEnd, outcomeOfMove, settled } from './move-outcome.ts';
import { addAuditEntry, alone, asWriter, type OfflineOptions, requireData, requireNobody, withDatabase } from './offline.ts';
import { migrate } from './schema.ts';

export interface MigrationOptions extends OfflineOptions {
  readonly directory: string;
  readonly files: FileLayer;
}

/** Of this installation or this machine alone. */
const staysBehind = ['admin.token', 'broker-client.id'];
/** More lines than the access log and the audit log get between two copies of a database. */
const leapOfLogs = 10_000_000;

/**
 * Rejects with one sentence; then the database is as it was, or nobody knows and the directory stays closed. It is closed afterwards.
 * `auditAction`: the line of the move in the audit log that was moved; absent: it has one already.
 */
export async function moveToDatabase(options: MigrationOptions, auditAction?: AuditAction): Promise<Moved> {
  const { directory, url, files, log } = options;
  const { findings } = await verify(directory, files);
  const [first] = findings;
  if (first !== undefined) throw new Error(`${directory} is damaged (${first.file}: ${first.problem}): see \`latchd verify\``);
  const lock = createDirectoryLock({ files, directory, log });
  await lock.acquire();
  try {
    const key = (await files.readFile(join(directory, commandKeyName))).toString('base64');
    const end = { options, files, directory, isStored: (query: Query) => hasKey(query, key) };
    // Whoever sees a note later, at a failure, sees the one that was written here.
    const begun = await requireUnmoved(files, directory, url);
    const earlier = begun && (await outcomeOfMove(end, begun));
    if (begun !== undefined && earlier === undefined) await removeMoveNote(files, directory);
    const moved = earlier ?? (await intoDatabase(options, end, auditAction));
    await writeMoveNote(files, directory, { other: url, state: 'gone' });
    return moved;
  } finally {
    await lock.release();
  }
}

async function intoDatabase(options: MigrationOptions, end: MoveEnd, auditAction: AuditAction | undefined): Promise<Moved> {
  const { directory, url, files, clock } = options;
  const names = (await dataIn(directory, () => true)).filter((name) => !staysBehind.includes(name));
  return withDatabase(options, async (database) => {
    const hadSchema = await database.transaction((query) => query("SELECT FROM pg_namespace WHERE nspname = 'latchd'"));
    async function move(): Promise<Moved> {
      await migrate(database);
      await requireNobody(options);
      return alone(database, async (query) => {
        await requireEmpty(query, url);
        await asWriter(query, async () => {
          await moveIn({ query, files, directory, names });
          if (auditAction !== undefined) await addAuditEntry(query, clock.now(), auditAction);
        });
        const moved = await countAll(query);
        // Before the commit: at no moment both may serve.
        await writeMoveNote(files, directory, { other: url, state: 'leaving' });
        return moved;
      });
    }
    return settled(end, move, async () => {
      await removeMoveNote(files, directory);
      if (hadSchema.length === 0)
        await database.transaction((query) => query('DROP SCHEMA IF EXISTS latchd CASCADE')).catch(() => undefined);
    });
  });
}

/** Whether the database has the data of the directory that this key is from. */
async function hasKey(query: Query, key: string): Promise<boolean> {
  const sql = "SELECT FROM document_row WHERE name = $1 AND body #>> '{}' = $2";
  return (await query(sql, [commandKeyName, key])).length > 0;
}

/**
 * Rejects with one sentence; then nothing is left of the directory, or nobody knows and it stays closed. The database is closed afterwards.
 * `auditAction`: as in `moveToDatabase`.
 */
export async function moveToDirectory(options: MigrationOptions, auditAction: AuditAction): Promise<Moved> {
  const { files, url } = options;
  const asked = resolve(options.directory);
  const note = await readMoveNote(files, asked);
  if (note?.state === 'arriving' && note.other === url) {
    const directory = await realpath(asked);
    const earlier = await outcomeOfMove(arrivalAt(options, directory), note);
    if (earlier !== undefined) {
      await removeMoveNote(files, directory);
      return earlier;
    }
    // The database goes on: what an earlier attempt has made is a copy.
    await rm(directory, { recursive: true });
  }
  return intoDirectory(options, asked, auditAction);
}

function arrivalAt(options: MigrationOptions, directory: string): MoveEnd {
  const isStored = async (query: Query) => (await query('SELECT FROM closed WHERE target = $1', [directory])).length > 0;
  return { options, files: options.files, directory, isStored };
}

async function intoDirectory(options: MigrationOptions, asked: string, auditAction: AuditAction): Promise<Moved> {
  const { files, clock, url } = options;
  const { directory, making, owner } = await findRestoreTarget(files, asked, 'data is moved');
  let isNamed = false;
  const move = () =>
    withDatabase(options, async (database) => {
      await migrate(database);
      await requireNobody(options);
      return alone(database, async (query) => {
        await requireData(query, url);
        await moveOut({ query, files, directory: making, wanted: () => true });
        await appendOfflineAudit({ files, directory: making, now: clock.now() }, auditAction, async () => undefined);
        const [first] = (await verify(making, files)).findings;
        if (first !== undefined) throw new Error(`the data in ${url} is damaged (${first.file}: ${first.problem})`);
        await query('INSERT INTO closed (target) VALUES ($1)', [directory]);
        await query('UPDATE head SET writer = NULL');
        const moved = await countAll(query);
        // Before it has its name: at no moment both may serve.
        await writeMoveNote(files, making, { other: url, state: 'arriving' });
        await giveName(files, making, directory, owner);
        isNamed = true;
        return moved;
      });
    });
  try {
    const moved = await settled(arrivalAt(options, directory), move, async () => {
      if (isNamed) await rm(directory, { recursive: true, force: true });
    });
    await removeMoveNote(files, directory);
    return moved;
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

/** Resolves with the note of an earlier move to this database of which nobody knows how it ended. */
async function requireUnmoved(files: FileLayer, directory: string, url: string): Promise<MoveNote | undefined> {
  const note = await readMoveNote(files, directory);
  if (note === undefined || (note.state === 'leaving' && note.other === url)) return note;
  if (note.state !== 'gone') throw new Error(`${sayMoved(directory, note)}: ${tryMoveAgain}`);
  throw new Error(`${directory} was moved to ${note.other} already: nothing was changed`);
}

async function requireEmpty(query: Query, url: string): Promise<void> {
  const [row] = await query<{ has: boolean }>('SELECT EXISTS (SELECT FROM document) OR EXISTS (SELECT FROM record) AS has');
  if (row?.has !== false) throw new Error(`${url} is not empty: data is moved to an empty database only`);
}
