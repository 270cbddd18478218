// One PostgreSQL server for a whole run of tests. The first test that needs it starts it, in whichever process of the run that is; jest calls
// the default exports of this file and of postgres-after-run.ts before and after the run.
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresDatabases, postgresOn, startPostgres } from './postgres.ts';

/** Names the folder of the run. */
const folderVariable = 'LATCHD_TEST_POSTGRES_FOLDER';
const lookMs = 20;

/** Makes the folder of the run. */
export default function setUp(): void {
  const folder = mkdtempSync(join(tmpdir(), 'latchd-run-'));
  // The server runs as another user when root runs the tests.
  chmodSync(folder, 0o711);
  process.env[folderVariable] = folder;
}

/** The folder of the run, and that of its server, which is there once somebody needed it. */
export function runFolders(): { readonly folder: string; readonly server: string } {
  const folder = process.env[folderVariable] ?? '';
  return { folder, server: join(folder, 'server') };
}

let found: Promise<PostgresDatabases> | undefined;

/** The server of the run, without durability: any test may make databases on it, and none may end it. */
export function serverOfRun(): Promise<PostgresDatabases> {
  found ??= findServer();
  return found;
}

/** The same when the daemons of this run keep their data in databases (`npm run test:postgres`); undefined: in files. */
export async function databasesOfRun(): Promise<PostgresDatabases | undefined> {
  return process.env['LATCHD_TEST_STORE'] === 'postgres' ? serverOfRun() : undefined;
}

async function findServer(): Promise<PostgresDatabases> {
  const { folder, server } = runFolders();
  const portFile = join(folder, 'port');
  const say = (text: string) => {
    writeFileSync(`${portFile}.new`, text);
    renameSync(`${portFile}.new`, portFile);
  };
  const isFirst = await mkdir(server).then(
    () => true,
    () => false,
  );
  if (isFirst) await startServer(server).then(say, (error: unknown) => say(String(error)));
  while (!existsSync(portFile)) await new Promise((resolve) => setTimeout(resolve, lookMs));
  const said = readFileSync(portFile, 'utf8');
  if (!/^\d+$/.test(said)) throw new Error(`PostgreSQL could not be started for this run: ${said}`);
  return postgresOn(Number(said));
}

/** With the database that all others are copies of. Resolves with the port. */
async function startServer(folder: string): Promise<string> {
  const server = await startPostgres({ folder });
  await (await server.newDatabase()).drop();
  return String(server.port);
}
