// records: the record log by itself, over half a year of a large building (Fault T22). Run only when it is named: it writes 2 GB.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateRecords, today } from '../generate-records.ts';
import { measuredBy } from '../processes.ts';
import type { Appends, Building, Opened, PageTimes, Sealed } from '../records-child.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, Goal, Section, SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';

const large: Building = { locks: 1_000, days: 180, recordsPerDay: 50 };
const small: Building = { locks: 50, days: 3, recordsPerDay: 50 };
/** A day of a thousand locks that come back after weeks without the gateway, which is then killed. */
const flood: Building = { locks: 1_000, days: 1, recordsPerDay: 1_000 };
/** Filling SQLite with all days would take longer than everything else. */
const sqliteDays = 30;

export const recordsSection: Section = {
  name: 'records',
  async run(options) {
    const { folder, quick, say } = options;
    const building = quick ? small : large;
    const figures = appendFigures(await child<Appends>('append', folder, building, quick ? 1 : 31));
    const total = (building.locks * building.days * building.recordsPerDay).toLocaleString('en');
    say(`records: ${total} records are made`);
    const data = `${folder}/data`;
    await seedDirectory(data, building.locks);
    rmSync(`${data}/records`, { recursive: true });
    generateRecords(`${data}/records`, { ...building, lastDay: today });
    say('records: start and pages');
    readThrough(`${data}/records`);
    const before = await startRounds(data, building, quick ? 1 : 3);
    if (before[0]?.records !== building.locks * building.days * building.recordsPerDay)
      throw new Error(`there are ${before[0]?.records} records`);
    const sealing = await child<Sealed>('seal', data, building);
    readThrough(`${data}/records`);
    const after = await startRounds(data, building, quick ? 1 : 3);
    const unsealed = await startUnsealed(`${folder}/flood`, quick ? small : flood);
    const peer = await sqlitePages(options, building);
    return [
      ...figures,
      figureOf(`start with ${total} records, the last day unsealed`, 'ms', before.map(startMs), { goal: { atMost: 1_000 } }),
      figureOf(`start with ${total} records, all sealed`, 'ms', after.map(startMs), { goal: { atMost: 1_000 } }),
      figureOf(
        'memory with them, all pages read',
        'MB',
        before.map(({ residentMb }) => residentMb),
        { goal: { atMost: 200 } },
      ),
      figureOf(
        'memory at its highest',
        'MB',
        before.map(({ peakMb }) => peakMb),
      ),
      ...pageFigures([...before, ...after], peer),
      figureOf(`start with ${unsealed.records.toLocaleString('en')} records of a day unsealed`, 'ms', [unsealed.startMs], {
        goal: { atMost: 5_000 },
      }),
      figureOf('sealing a day', 'ms', [sealing.ms]),
      figureOf('sealing a day: the event loop held up', 'ms', [sealing.heldUpMs]),
    ];
  },
};

const startMs = (opened: Opened): number => opened.startMs;

async function startRounds(data: string, building: Building, rounds: number): Promise<readonly Opened[]> {
  const starts: Opened[] = [];
  while (starts.length < rounds) starts.push(await child<Opened>('open', data, building));
  return starts;
}

async function startUnsealed(data: string, building: Building): Promise<Opened> {
  await seedDirectory(data, building.locks);
  rmSync(`${data}/records`, { recursive: true });
  generateRecords(`${data}/records`, { ...building, lastDay: today });
  return child<Opened>('open', data, building);
}

/** What nobody has read for a while may have left the system's cache of files: then many pages would measure the disk. */
function readThrough(folder: string): void {
  for (const name of readdirSync(folder)) readFileSync(join(folder, name));
}

function appendFigures({ ours, floor, sqlite }: Appends): Figure[] {
  const others = [
    { name: 'write + fdatasync of the same bytes', values: floor, goal: { atLeast: 0.7 } },
    { name: 'SQLite, a transaction for each 100', values: sqlite },
  ];
  return [figureOf('append, 100 writers', '/s', ours, { others })];
}

/** A round is a start with its pages. */
function pageFigures(starts: readonly Opened[], peer: readonly PageTimes[]): Figure[] {
  const read = starts.map(({ pages }) => pages.at(-1) as PageTimes);
  return (starts[0] as Opened).pages.slice(0, -1).flatMap((page, n) => {
    const rounds = starts.map(({ pages }) => pages[n] as PageTimes);
    const sqlite = peer[n] ? starts.map(() => peer[n] as PageTimes) : [];
    const goal: Goal = { atMost: page.title.includes('1,000') ? 10 : 1 };
    const others = (quantile: 'p50' | 'p99') => [
      { name: read[0]?.title ?? '', values: read.map((times) => times[quantile]) },
      { name: `SQLite, over ${sqliteDays} days`, values: sqlite.map((times) => times[quantile]) },
    ];
    return [
      figureOf(
        `${page.title}: p50`,
        'ms',
        rounds.map(({ p50 }) => p50),
        { others: others('p50') },
      ),
      figureOf(
        `${page.title}: p99`,
        'ms',
        rounds.map(({ p99 }) => p99),
        { goal, others: others('p99') },
      ),
    ];
  });
}

async function sqlitePages({ folder, quick, say }: SectionOptions, building: Building): Promise<readonly PageTimes[]> {
  if (process.env['BENCH_SQLITE'] === undefined) {
    say('records: SQLite is left out (BENCH_SQLITE=/path/to/node_modules/better-sqlite3)');
    return [];
  }
  say('records: SQLite is filled');
  mkdirSync(`${folder}/sqlite`);
  return child<PageTimes[]>('sqlite', `${folder}/sqlite`, { ...building, days: quick ? building.days : sqliteDays });
}

function child<T>(what: string, directory: string, { locks, days, recordsPerDay }: Building, rounds = 0): Promise<T> {
  return measuredBy<T>('records-child', [what, directory, String(rounds), ...[locks, days, recordsPerDay].map(String)]);
}
