// PostgreSQL's own programs, run on a data directory as the user whom it accepts: it refuses to run as root.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installations = '/usr/lib/postgresql';

/** Where the programs of the newest PostgreSQL are. Throws a sentence when there is none. */
export function binaries(): string {
  const versions = existsSync(installations) ? readdirSync(installations) : [];
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(installations, newest, 'bin');
}

export interface PostgresPrograms {
  /** A temporary folder that the user of the programs owns. */
  readonly directory: string;
  /** Runs a program with these arguments; `environment` is added to that of this process. */
  run(name: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<void>;
}

/** `given`: a folder that is there; default: a new one. */
export async function postgresPrograms(given?: string): Promise<PostgresPrograms> {
  const bin = binaries();
  const directory = given ?? mkdtempSync(join(tmpdir(), 'latchd-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run('chown', ['postgres', directory]);
  const [user, before] = isRoot ? ['runuser', ['-u', 'postgres', '--']] : ['env', []];
  return {
    directory,
    run: async (name, args, environment = {}) =>
      void (await run(user, [...before, join(bin, name), ...args], { cwd: '/', env: { ...process.env, ...environment } })),
  };
}
