// The commands that work on a database directly: verify, export, backup, restore, migrate, and recovered after its own tools have brought an older copy back.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '../../domain/part.ts';
import { readBrokerCredentials } from '../../platform/broker-credentials.ts';
import { createClock } from '../../platform/clock.ts';
import { nodeFiles } from '../../stores/files/files.ts';
import { giveToOwner } from '../../stores/files/give-to-owner.ts';
import type { DatabaseAddress } from '../../stores/postgres/connection.ts';
import { exportRows } from '../../stores/postgres/export.ts';
import { exportDatabase, leapDatabase, type MigrationOptions, moveToDatabase, moveToDirectory } from '../../stores/postgres/migration.ts';
import type { Moved } from '../../stores/postgres/move-outcome.ts';
import { type NobodyOptions, type OfflineOptions, requireData, requireNobody, withDatabase } from '../../stores/postgres/offline.ts';
import type { ReadRecords } from './files.ts';

const nothing = (): void => undefined;
const noLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };

/** Where it is; the password is the first line of the file. */
export interface DatabasePlace {
  readonly address: DatabaseAddress;
  readonly url: string;
  readonly passwordFile: string | undefined;
}

/** Reads the password anew at each call. */
export function passwordOf({ passwordFile }: DatabasePlace): () => Promise<string | undefined> {
  return async () => (await readBrokerCredentials({ passwordFile })).password;
}

function offlineOptions(database: DatabasePlace): OfflineOptions {
  const { address, url } = database;
  return { address, url, password: passwordOf(database), clock: createClock(), log: noLog };
}

function migrationOf(database: DatabasePlace, directory: string): MigrationOptions {
  return { ...offlineOptions(database), directory, files: nodeFiles() };
}

/** Rejects with one sentence when the database has no data, or a node lives; see `requireNobody`. */
export async function requireServable(database: DatabasePlace, isOwn: NonNullable<NobodyOptions['isOwn']>): Promise<void> {
  const options = offlineOptions(database);
  await withDatabase(options, ({ query }) => requireData(query, database.url));
  await requireNobody(options, { isOwn, remedy: 'give the command on its machine' });
}

/** From a data directory into an empty database, or back. Rejects with one sentence; then nothing has changed. */
export function moveData(way: 'to-database' | 'to-directory', database: DatabasePlace, directory: string): Promise<Moved> {
  const options = migrationOf(database, directory);
  return way === 'to-database'
    ? moveToDatabase(options, { action: 'migrate', object: 'database', detail: `from ${resolve(directory)}` })
    : moveToDirectory(options, { action: 'migrate', object: 'data directory', detail: `from ${database.url}` });
}

/** Runs `use` on a data directory with what the database has at one moment; it is there until `use` has ended. */
export async function withExportedData<T>(database: DatabasePlace, dataDir: string, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = join(dataDir, 'snapshot.tmp');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await exportDatabase(migrationOf(database, directory));
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs `make`, which makes a data directory, and moves it into the empty database; with the token that an administrator needs. */
export async function restoreToDatabase<T extends { readonly restored: boolean }>(
  database: DatabasePlace,
  dataDir: string,
  make: (directory: string) => Promise<T>,
): Promise<T> {
  const folder = join(dataDir, 'restoring.tmp');
  const directory = join(folder, 'data');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const made = await make(directory);
    if (!made.restored) return made;
    await moveToDatabase(migrationOf(database, directory));
    await copyFile(join(directory, 'admin.token'), join(dataDir, 'admin.token')).then(
      () => giveToOwner(dataDir, ['admin.token']),
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** See `exportRows`. A daemon may work on the database. */
export function recordsInDatabase(database: DatabasePlace): ReadRecords {
  return (request) => exportRows(offlineOptions(database), request);
}

/** See `leapDatabase`. */
export function recoveredDatabase(database: DatabasePlace, dataDir: string): Promise<void> {
  return leapDatabase(migrationOf(database, dataDir), Date.now());
}
