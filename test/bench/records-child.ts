// What is measured of the record log, each in a process of its own so that its memory and its heap are its own: what appending costs against
// the floor (write and fdatasync of the same bytes), and what a start, a page, sealing and the memory cost. `sections/records.ts` asks.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/domain/clock.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { Log } from '../../src/domain/part.ts';
import { boundHeapGrowth, shortenCollections } from '../../src/platform/v8-flags.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { recordLine } from '../../src/stores/files/records/record-line.ts';
import { createStore, type Store } from '../../src/stores/files/store.ts';
import { today } from './generate-records.ts';
import { quantile } from './rounds.ts';
import { openSqlite } from './sqlite-peer.ts';

const writers = 100;
/** Of a round of appending: a fifth of a second, so that whatever else the machine does hits a round of each. */
const roundEvents = 20_000;
/** Until the code is compiled and what is kept in memory is there. */
const warmUpRounds = 5;
/** Pages asked for before those that are timed: a start has just been, and while V8 compiles in its threads, a read waits milliseconds for a processor. */
const warmUp = 2_000;
/** Where better-sqlite3 is installed; without it that peer is left out. */
const sqlite = process.env['BENCH_SQLITE'];

/** What is in the data directory. */
export interface Building {
  readonly locks: number;
  readonly days: number;
  readonly recordsPerDay: number;
}
/** Events a second in each round. */
export interface Appends {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
  readonly sqlite: readonly number[];
}
/** Milliseconds of some pages. */
export interface PageTimes {
  readonly title: string;
  readonly p50: number;
  readonly p99: number;
}
export interface Opened {
  readonly startMs: number;
  readonly records: number;
  readonly pages: readonly PageTimes[];
  readonly residentMb: number;
  readonly peakMb: number;
}
export interface Sealed {
  readonly ms: number;
  /** The longest that nothing else could run. */
  readonly heldUpMs: number;
}
interface Appender {
  /** `roundEvents`, durably. */
  round(): Promise<void>;
  close(): Promise<void>;
}
const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };
const clock: Clock = { now: () => today, monotonic: () => performance.now(), timer: () => quiet };

/** Started, with the memory collected as the gateway has it (`gateway.ts`). */
async function startStore(directory: string, now: () => number = clock.now): Promise<Store> {
  const store = createStore({
    directory,
    clock: { ...clock, now },
    log,
    secrets: createSecrets(),
    onFatal: (error) => {
      throw error;
    },
  });
  await store.start();
  boundHeapGrowth();
  return store;
}
const draft = (seq: number) => ({
  seq,
  type: 'card-unlock',
  success: true,
  credential: '1325672378',
  username: 'Resident 17',
  lockDate: today,
  serverDate: today,
});

/** 100 writers that each wait for their event before the next, in one store: a gateway starts once. */
async function openAppender(directory: string): Promise<Appender> {
  const store = await startStore(`${directory}/data`);
  const each = roundEvents / writers;
  let stored = 0;
  return {
    async round() {
      const write = async (lockId: number): Promise<void> => {
        for (let n = 1; n <= each; n++) await store.ports.records.append(lockId as LockId, 'e', [draft(stored + n)]);
      };
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer + 1)));
      stored += each;
    },
    close: () => store.stop(),
  };
}
/** The floor: the same lines, made before, 100 in one write and one fdatasync, again and again. */
async function openFloor(directory: string): Promise<Appender> {
  const group = Buffer.from(recordLine(123_456, 77 as LockId, 'e', draft(1)).repeat(writers));
  const file = await open(`${directory}/floor`, 'w');
  let position = 0;
  return {
    async round() {
      for (let n = 0; n < roundEvents / writers; n++) {
        await file.write(group, 0, group.length, position);
        await file.datasync();
        position += group.length;
      }
    },
    close: () => file.close(),
  };
}
/** A transaction for each group of 100, as a careful program would write it. */
function openSqliteAppender(modulePath: string, directory: string): Appender {
  const peer = openSqlite(modulePath, directory);
  let seq = 0;
  return {
    async round() {
      for (let n = 0; n < roundEvents / writers; n++) {
        seq += 1;
        peer.append(Array.from({ length: writers }, (_, writer) => ({ ...draft(seq), lockId: writer + 1 })));
      }
    },
    close: async () => peer.close(),
  };
}
/** Events a second. */
async function rateOf(appender: Appender): Promise<number> {
  const begin = performance.now();
  await appender.round();
  return roundEvents / ((performance.now() - begin) / 1_000);
}
async function appends(folder: string, rounds: number): Promise<Appends> {
  const directory = mkdtempSync(join(folder, 'append-'));
  const measured = { floor: [] as number[], ours: [] as number[], sqlite: [] as number[] };
  const appenders: [rates: number[], Appender][] = [
    [measured.floor, await openFloor(directory)],
    [measured.ours, await openAppender(directory)],
  ];
  if (sqlite !== undefined) appenders.push([measured.sqlite, openSqliteAppender(sqlite, directory)]);
  for (let n = -warmUpRounds; n < rounds; n++) {
    for (const [rates, appender] of appenders) {
      const rate = await rateOf(appender);
      if (n >= 0) rates.push(rate);
    }
    appenders.reverse();
  }
  for (const [, appender] of appenders) await appender.close();
  rmSync(directory, { recursive: true });
  return measured;
}

interface PageAsked {
  readonly pageNo: number;
  readonly pageSize: number;
  readonly from?: number;
  readonly to?: number;
}
async function timed(title: string, count: number, page: (n: number) => Promise<unknown> | number): Promise<PageTimes> {
  const times: number[] = [];
  for (let n = 0; n < count + warmUp; n++) {
    const begin = performance.now();
    await page(n);
    if (n >= warmUp) times.push(performance.now() - begin);
  }
  return { title, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
/** Pages all over the locks and the days. */
function pagesOf({ days, recordsPerDay }: Building): readonly (readonly [title: string, count: number, asked: (n: number) => PageAsked])[] {
  const total = days * recordsPerDay;
  return [
    ['the newest page of 20', 2_000, () => ({ pageNo: 1, pageSize: 20 })],
    ['a page of 20 anywhere', 3_000, (n) => ({ pageNo: 1 + ((n * 104_729) % Math.max(1, Math.floor(total / 20))), pageSize: 20 })],
    [
      'a page of 20 of a range that ends within days',
      3_000,
      (n) => {
        const from = today - ((n * 31) % days) * dayMs - 40_000_000;
        return { pageNo: 1 + (n % 5), pageSize: 20, from, to: from + 12.3 * dayMs };
      },
    ],
    ['a page of 1,000', 500, (n) => ({ pageNo: 1 + (n % Math.max(1, Math.floor(total / 1_000))), pageSize: 1_000 })],
  ];
}
const dayMs = 86_400_000;
const everything = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const lockOf = (n: number, { locks }: Building): LockId => (1 + ((n * 7_919) % locks)) as LockId;

/** The floor of a page: one read of as many bytes as a lock has on a day, of the same files. */
async function readTimes(directory: string): Promise<PageTimes> {
  const folder = join(directory, 'records');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const files = await Promise.all(names.map((name) => open(join(folder, name))));
  const bytes = Buffer.alloc(14_000);
  const times = await timed("one read of a lock's day", 3_000, (n) => {
    const file = files[(n * 31) % files.length] as (typeof files)[number];
    return file.read(bytes, 0, bytes.length, ((n * 7_919) % 500) * 14_000);
  });
  for (const file of files) await file.close();
  return times;
}
async function opened(directory: string, building: Building): Promise<Opened> {
  const begin = performance.now();
  const store = await startStore(directory);
  const startMs = performance.now() - begin;
  const pages: PageTimes[] = [];
  for (const [title, count, asked] of pagesOf(building)) {
    pages.push(await timed(title, count, (n) => store.ports.records.page({ lockId: lockOf(n, building), ...everything, ...asked(n) })));
  }
  global.gc?.();
  const residentMb = process.memoryUsage().rss / 1e6;
  const peak = /VmHWM:\s+(\d+)/.exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  pages.push(await readTimes(directory));
  const records = store.ports.records.count();
  await store.stop();
  return { startMs, records, pages, residentMb, peakMb: (Number(peak) * 1_024) / 1e6 };
}
/** The same pages of SQLite, over days that it is filled with first. */
async function sqlitePages(modulePath: string, directory: string, building: Building): Promise<PageTimes[]> {
  const peer = openSqlite(modulePath, directory);
  const { locks, days, recordsPerDay } = building;
  for (let seq = 1; seq <= days * recordsPerDay; seq++) {
    const at = today - (days * recordsPerDay - seq) * (dayMs / recordsPerDay);
    peer.append(Array.from({ length: locks }, (_, n) => ({ ...draft(seq), lockId: n + 1, lockDate: at, serverDate: at })));
  }
  const pages: PageTimes[] = [];
  for (const [title, , asked] of pagesOf(building)) {
    pages.push(
      await timed(title, 500, (n) => {
        const { pageNo, pageSize, from, to } = { ...everything, ...asked(n) };
        return peer.page(lockOf(n, building), from, to, pageNo, pageSize);
      }),
    );
  }
  peer.close();
  return pages;
}
/** Seals the open day while a timer watches how long the event loop is held up. */
async function sealed(directory: string): Promise<Sealed> {
  let now = today;
  const store = await startStore(directory, () => now);
  now += 3_600_000;
  let heldUpMs = 0;
  let before = performance.now();
  const watch = setInterval(() => {
    heldUpMs = Math.max(heldUpMs, performance.now() - before - 1);
    before = performance.now();
  }, 1);
  const begin = performance.now();
  await store.maintenance.sealDays();
  const ms = performance.now() - begin;
  clearInterval(watch);
  await store.stop();
  return { ms, heldUpMs };
}

const [what, directory = '', rounds, ...numbers] = process.argv.slice(2);
const [locks = 0, days = 0, recordsPerDay = 0] = numbers.map(Number);
const building = { locks, days, recordsPerDay };
shortenCollections();
if (what === 'append') process.send?.(await appends(directory, Number(rounds)));
else if (what === 'open') process.send?.(await opened(directory, building));
else if (what === 'seal') process.send?.(await sealed(directory));
else if (what === 'sqlite' && sqlite !== undefined) process.send?.(await sqlitePages(sqlite, directory, building));
