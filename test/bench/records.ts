// The record log measured: what appending costs against the floor (write and fdatasync of the same bytes), and what a
// start, a page and the memory cost over half a year of 1,000 locks. Run with `npm run bench:records [-- <days>]`.
import { fork } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LockId } from '../../src/domain/lock.ts';
import type { Log } from '../../src/domain/part.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { withChecksum } from '../../src/store/checked-line.ts';
import { recordBody } from '../../src/store/record-line.ts';
import { createSecrets } from '../../src/store/secrets.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { sampleLock } from '../store/support/samples.ts';
import { generateRecords } from './generate-records.ts';
import { openSqlite } from './sqlite-peer.ts';

const locks = 1_000;
const recordsPerDay = 50;
const writers = 100;
/** Of a round of appending: so many that its start does not count. */
const roundEvents = 100_000;
/** Pages asked for before those that are timed: a start has just been, and its code is cold. */
const warmUp = 500;
/** Where better-sqlite3 is installed; without it that peer is left out. */
const sqlite = process.env['BENCH_SQLITE'];
const today = Date.UTC(2026, 10, 21, 23, 59);
const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };
const clock: Clock = { now: () => today, monotonic: () => performance.now(), timer: () => quiet };

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
function storeIn(directory: string): Store {
  return createStore({
    directory,
    clock,
    log,
    secrets: createSecrets(),
    onFatal: (error) => {
      throw error;
    },
  });
}
function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}
const median = (times: readonly number[]): number => quantile(times, 0.5);

const draft = (seq: number) => ({
  seq,
  type: 'card-unlock',
  success: true,
  credential: '1325672378',
  username: 'Resident 17',
  lockDate: today,
  serverDate: today,
});

/** Events a second with 100 writers that each wait for their event before the next. */
async function appendRound(directory: string, events: number): Promise<number> {
  const store = storeIn(`${directory}/data`);
  await store.start();
  const begin = performance.now();
  const each = events / writers;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; n < each; n++) await store.records.append((writer + 1) as LockId, 'e', [draft(n + 1)]);
    }),
  );
  const rate = events / ((performance.now() - begin) / 1_000);
  await store.stop();
  return rate;
}
/** The floor: the same lines, made before, 100 in one write and one fdatasync, again and again. */
async function floorRound(directory: string, events: number): Promise<number> {
  const line = withChecksum(recordBody(123_456, 77 as LockId, 'e', draft(1)));
  const group = Buffer.from(line.repeat(writers));
  const file = await open(`${directory}/floor`, 'w');
  let position = 0;
  const begin = performance.now();
  for (let n = 0; n < events / writers; n++) {
    await file.write(group, 0, group.length, position);
    await file.datasync();
    position += group.length;
  }
  const rate = events / ((performance.now() - begin) / 1_000);
  await file.close();
  return rate;
}
/** A transaction for each group of 100, as a careful program would write it. */
function sqliteRound(modulePath: string, directory: string, events: number): number {
  const peer = openSqlite(modulePath, directory);
  const begin = performance.now();
  for (let n = 0; n < events / writers; n++) {
    peer.append(Array.from({ length: writers }, (_, writer) => ({ ...draft(n + 1), lockId: writer + 1 })));
  }
  const rate = events / ((performance.now() - begin) / 1_000);
  peer.close();
  return rate;
}
/** The same pages over as many records of as many locks, which takes a while to fill in. */
function benchSqlitePages(modulePath: string, directory: string, days: number): void {
  const peer = openSqlite(modulePath, directory);
  for (let seq = 1; seq <= days * recordsPerDay; seq++) {
    const at = today - (days * recordsPerDay - seq) * (86_400_000 / recordsPerDay);
    peer.append(Array.from({ length: locks }, (_, n) => ({ ...draft(seq), lockId: n + 1, lockDate: at, serverDate: at })));
  }
  for (const pageSize of [20, 1_000]) {
    const times: number[] = [];
    for (let n = 0; n < 500; n++) {
      const lockId = 1 + ((n * 7_919) % locks);
      const pageNo = 1 + ((n * 104_729) % Math.max(1, Math.floor((days * recordsPerDay) / pageSize)));
      const begin = performance.now();
      peer.page(lockId, 0, Number.MAX_SAFE_INTEGER, pageNo, pageSize);
      times.push(performance.now() - begin);
    }
    print(
      `SQLite, page of ${pageSize} anywhere in ${days} days: median ${median(times).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`,
    );
  }
  peer.close();
}
async function benchAppend(rounds: number): Promise<void> {
  const [ours, floors, ratios, peers]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let n = 0; n <= rounds; n++) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-append-'));
    const floor = await floorRound(directory, roundEvents);
    const own = await appendRound(directory, roundEvents);
    const peer = sqlite === undefined ? undefined : sqliteRound(sqlite, directory, roundEvents);
    rmSync(directory, { recursive: true });
    // The first round warms up.
    if (n === 0) continue;
    ours.push(own);
    floors.push(floor);
    ratios.push(own / floor);
    if (peer !== undefined) peers.push(peer);
  }
  print(
    `append, ${writers} writers: ${Math.round(median(ours))} events/s, floor ${Math.round(median(floors))}, ratio ${median(ratios).toFixed(2)}`,
  );
  if (peers.length > 0) print(`SQLite, a transaction for each ${writers}: ${Math.round(median(peers))} events/s`);
}

async function timePages(
  store: Store,
  title: string,
  count: number,
  query: (n: number) => { pageNo: number; pageSize: number; from?: number; to?: number },
): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < count + warmUp; n++) {
    const lockId = (1 + ((n * 7_919) % locks)) as LockId;
    const begin = performance.now();
    await store.records.page({ lockId, from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, ...query(n) });
    if (n >= warmUp) times.push(performance.now() - begin);
  }
  print(`${title}: median ${median(times).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`);
}
/** In a process of its own, so that its memory is its own. */
async function benchQueries(directory: string, days: number): Promise<void> {
  const store = storeIn(directory);
  const begin = performance.now();
  const before = process.cpuUsage();
  await store.start();
  const { user, system } = process.cpuUsage(before);
  const processorMs = (user + system) / 1_000;
  print(
    `start: ${(performance.now() - begin).toFixed(0)} ms, ${processorMs.toFixed(0)} ms of processor time, with ${store.locks.all().length} locks and ${store.records.count()} records`,
  );
  const total = days * recordsPerDay;
  const dayMs = 86_400_000;
  await timePages(store, 'newest page of 20', 1_000, () => ({ pageNo: 1, pageSize: 20 }));
  await timePages(store, 'page of 20 anywhere', 2_000, (n) => ({ pageNo: 1 + ((n * 104_729) % Math.floor(total / 20)), pageSize: 20 }));
  await timePages(store, 'page of 20 of a range that begins and ends within days', 2_000, (n) => {
    const from = today - ((n * 31) % days) * dayMs - 40_000_000;
    return { pageNo: 1 + (n % 5), pageSize: 20, from, to: from + 12.3 * dayMs };
  });
  await timePages(store, 'page of 1,000 anywhere', 300, (n) => ({
    pageNo: 1 + (n % Math.max(1, Math.floor(total / 1_000))),
    pageSize: 1_000,
  }));
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const peak = /VmHWM:\s+(\d+)/.exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  print(`memory: ${Math.round(rss / 1e6)} MB resident (peak ${Math.round(Number(peak) / 1_000)}), ${Math.round(heapUsed / 1e6)} MB heap`);
  await store.stop();
}
/** Seals the open day while a timer watches how long the event loop is held up. */
async function benchSealing(directory: string): Promise<void> {
  let now = today;
  const store = createStore({ directory, clock: { ...clock, now: () => now }, log, secrets: createSecrets(), onFatal: quiet });
  await store.start();
  now += 3_600_000;
  let longest = 0;
  let before = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - before - 1);
    before = performance.now();
  }, 1);
  const begin = performance.now();
  await store.sealDays();
  print(`sealing a day: ${(performance.now() - begin).toFixed(0)} ms, the event loop held up ${longest.toFixed(1)} ms at most`);
  clearInterval(watch);
  await store.stop();
}

async function inChild(...args: string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ['--expose-gc'] });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))));
  });
}

const [section, directory, days] = process.argv.slice(2);
if (section === 'queries' && directory) await benchQueries(directory, Number(days));
else if (section === 'sealing' && directory) await benchSealing(directory);
else if (section === 'append') await benchAppend(7);
else if (section === 'sqlite' && directory && sqlite !== undefined) benchSqlitePages(sqlite, directory, Number(days));
else {
  const wanted = Number(section ?? 180);
  const kept = process.env['BENCH_RECORDS'];
  const work = mkdtempSync(join(tmpdir(), 'bench-records-'));
  await benchAppend(7);
  const records = kept ?? join(work, 'generated');
  if (!existsSync(records)) {
    const begin = performance.now();
    const count = generateRecords(records, { locks, days: wanted, recordsPerDay, lastDay: today });
    print(`generated ${count} records of ${locks} locks in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  }
  const first = storeIn(join(work, 'data'));
  await first.start();
  for (let n = 1; n <= locks; n++) await first.locks.add(sampleLock(n, { roles: [] }));
  await first.stop();
  rmSync(join(work, 'data', 'records'), { recursive: true });
  cpSync(records, join(work, 'data', 'records'), { recursive: true });
  await inChild('queries', join(work, 'data'), String(wanted));
  await inChild('sealing', join(work, 'data'));
  await inChild('queries', join(work, 'data'), String(wanted));
  rmSync(work, { recursive: true });
}
