// A PostgreSQL server of the test's own, on a temporary directory and a port of the loopback. Databases are copies of one that has the
// schema already.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createClock } from '../../src/platform/clock.ts';
import type { DatabaseAddress } from '../../src/stores/postgres/connection.ts';
import { createDatabase } from '../../src/stores/postgres/database.ts';
import { migrate } from '../../src/stores/postgres/schema.ts';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './postgres-programs.ts';

const ignore = () => undefined;
const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };

/** What tests do on a running server. */
export interface PostgresDatabases {
  readonly port: number;
  /** The administrator's connection, for statements about databases. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** A new database: with the schema, or an empty one. */
  newDatabase(options?: { readonly isEmpty?: boolean }): Promise<TestDatabase>;
}

export interface PostgresServer extends PostgresDatabases {
  /** Ends the server as a crash does, and keeps the data. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** This role needs its password from now on. */
  demandPassword(role: string): Promise<void>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

export interface TestDatabase {
  readonly address: DatabaseAddress;
  /** For the setting `store`. */
  readonly url: string;
  /** On this database. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** Ends the server of this folder as a crash does. */
export async function killPostgres(folder: string): Promise<void> {
  const { run } = await postgresPrograms(folder);
  await run('pg_ctl', ['-D', join(folder, 'data'), '-m', 'immediate', '-w', 'stop']).catch(() => undefined);
}

interface ServerOptions {
  /** Whether it is durable; contracts are about meaning. */
  readonly fsync?: boolean;
  /** `name=value`. */
  readonly settings?: readonly string[];
  /** Its folder, which is there; default: a new one. */
  readonly folder?: string;
}

/** Starts a server. */
export async function startPostgres({ fsync = false, settings = [], folder }: ServerOptions = {}): Promise<PostgresServer> {
  const { directory, run } = await postgresPrograms(folder);
  const data = join(directory, 'data');
  const port = await freePort();
  const command = (name: string, ...args: string[]) => run(name, ['-D', data, ...args]);
  await command('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');

  const given = [...(fsync ? [] : ['fsync=off', 'full_page_writes=off']), `unix_socket_directories=${directory}`, ...settings];
  const all = ['listen_addresses=127.0.0.1', `port=${port}`, 'max_connections=300', 'shared_buffers=32MB', ...given];
  const start = (): Promise<void> =>
    command('pg_ctl', '-l', join(directory, 'log'), '-w', '-o', all.map((one) => `-c ${one}`).join(' '), 'start');
  const kill = () => killPostgres(directory);
  await start();
  return {
    ...postgresOn(port),
    kill,
    start,
    async demandPassword(role) {
      const rules = join(data, 'pg_hba.conf');
      await writeFile(rules, `host all ${role} 127.0.0.1/32 scram-sha-256\n${await readFile(rules, 'utf8')}`);
      await command('pg_ctl', 'reload');
    },
    async remove() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const template = 'latchd_empty';

/** The databases of a server that runs on this port of the loopback. */
export function postgresOn(port: number): PostgresDatabases {
  let made: Promise<void> | undefined;
  const addressOf = (database: string): DatabaseAddress => ({
    hosts: [{ host: '127.0.0.1', port }],
    user: 'postgres',
    database,
    tls: false,
  });
  const query = (sql: string, database = 'postgres') => queryOnce(port, sql, database);
  async function makeTemplate(): Promise<void> {
    if ((await query(`SELECT FROM pg_database WHERE datname = '${template}'`)).length > 0) return;
    await query(`CREATE DATABASE ${template}`);
    const options = { password: async () => undefined, clock: createClock(), log: silentLog, name: 'test' };
    const database = createDatabase({ address: addressOf(template), ...options });
    await migrate(database);
    await database.stop();
  }
  return {
    port,
    query: (sql) => query(sql),
    async newDatabase({ isEmpty = false } = {}) {
      made ??= makeTemplate();
      await made;
      const name = `latchd_${randomBytes(6).toString('hex')}`;
      await query(`CREATE DATABASE ${name} ${isEmpty ? '' : `TEMPLATE ${template} STRATEGY file_copy`}`);
      return {
        address: addressOf(name),
        url: `postgres://postgres@127.0.0.1:${port}/${name}`,
        query: (sql) => query(sql, name),
        drop: async () => void (await query(`DROP DATABASE ${name} WITH (FORCE)`)),
      };
    },
  };
}

/** One statement over a connection of its own, as the administrator of the server on this port of the loopback. */
export async function queryOnce(port: number, sql: string, database: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
