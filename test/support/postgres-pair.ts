// A primary with its synchronous standby, both on the loopback: what a commit was acknowledged for is on both. The primary is killed as a power
// cut kills it, the standby is promoted, and what was killed comes back as the new standby. What decides that (Patroni, say) is not there.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createCuttableLink } from './cuttable-link.ts';
import { freePort } from './free-port.ts';
import { queryOnce } from './postgres.ts';
import { postgresPrograms } from './postgres-programs.ts';
import { until } from './site.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

export interface PostgresPair {
  /** Of both servers; they stay the same. */
  readonly ports: readonly [number, number];
  /** On the database `latchd` of the primary, which has nothing in it yet. */
  query(sql: string): Promise<Rows>;
  /** `kill -9` of all its processes at once. */
  killPrimary(): Promise<void>;
  /** Starts what was killed again, on its data. */
  restartPrimary(): Promise<void>;
  /** The standby becomes the primary; resolves when it takes writes. It waits for no standby until `rebuild` has made one. */
  promote(): Promise<void>;
  /** What was killed becomes the synchronous standby, from a new copy; resolves when commits wait for it. `environment`: of its processes. */
  rebuild(environment?: Readonly<Record<string, string>>): Promise<void>;
  /** The network between the two servers ends, and is there again. Until then no change ends. */
  cutStandby(): void;
  mendStandby(): void;
  remove(): Promise<void>;
}

const settings = ['listen_addresses=127.0.0.1', 'max_connections=100', 'shared_buffers=32MB', 'wal_retrieve_retry_interval=500ms'];

export async function startPostgresPair(): Promise<PostgresPair> {
  const { directory, run } = await postgresPrograms();
  const ports = [await freePort(), await freePort()] as const;
  const dataOf = (member: number): string => join(directory, `data-${member}`);
  /** By the number of the standby: its way to the primary. */
  const links = [await createCuttableLink(ports[1]), await createCuttableLink(ports[0])];
  let primary = 0;
  const standby = (): number => 1 - primary;
  const admin = (member: number, sql: string) => queryOnce(ports[member as 0 | 1], sql, 'postgres');

  async function start(member: number, environment?: Readonly<Record<string, string>>): Promise<void> {
    const all = [...settings, `port=${ports[member as 0 | 1]}`, 'unix_socket_directories='];
    const options = all.map((one) => `-c ${one}`).join(' ');
    const log = join(directory, `log-${member}`);
    await run('pg_ctl', ['-D', dataOf(member), '-l', log, '-w', '-o', options, 'start'], environment).catch((error: unknown) => {
      throw new Error(`PostgreSQL does not start: ${readFileSync(log, 'utf8').split('\n').slice(-5).join(' ')}`, { cause: error });
    });
  }
  /** The processes of a server, its first one first; none: it does not run. */
  function processesOf(member: number): readonly number[] {
    const file = join(dataOf(member), 'postmaster.pid');
    const first = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
    const children = `/proc/${first}/task/${first}/children`;
    return first > 0 && existsSync(children) ? [first, ...readFileSync(children, 'utf8').split(' ').filter(Boolean).map(Number)] : [];
  }
  async function kill(member: number): Promise<void> {
    const pids = processesOf(member);
    for (const pid of pids) tell(pid, 'SIGKILL');
    await until(() => !pids.some(runs), 'the server is dead');
    // The next start believes that a process which is dead, but listed, still runs.
    rmSync(join(dataOf(member), 'postmaster.pid'), { force: true });
  }
  async function waitForStandby(names: string): Promise<void> {
    await admin(primary, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await admin(primary, 'SELECT pg_reload_conf()');
  }
  async function follow(environment?: Readonly<Record<string, string>>): Promise<void> {
    const data = dataOf(standby());
    rmSync(data, { recursive: true, force: true });
    const from = `host=127.0.0.1 port=${links[standby()]?.port} user=postgres application_name=standby`;
    await run('pg_basebackup', ['-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
    await start(standby(), environment);
    await waitForStandby('*');
    const inSync = async () => (await admin(primary, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1;
    await until(inSync, 'the standby is synchronous');
  }

  await run('initdb', ['-D', dataOf(primary), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  await start(primary);
  await admin(primary, 'CREATE DATABASE latchd');
  await follow();
  return {
    ports,
    query: (sql) => queryOnce(ports[primary as 0 | 1], sql, 'latchd'),
    killPrimary: () => kill(primary),
    restartPrimary: () => start(primary),
    async promote() {
      await admin(standby(), "ALTER SYSTEM SET synchronous_standby_names = ''");
      await run('pg_ctl', ['-D', dataOf(standby()), '-w', 'promote']);
      primary = standby();
    },
    rebuild: follow,
    cutStandby: () => links[standby()]?.cut('refused'),
    mendStandby() {
      for (const link of links) link.mend();
    },
    async remove() {
      await Promise.all([kill(0), kill(1)]);
      for (const link of links) link.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** One that has ended meanwhile needs no signal. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One that has ended may still be listed until its parent has looked. */
function runs(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !readFileSync(file, 'utf8').includes(') Z ');
}
