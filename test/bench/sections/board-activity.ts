// board, of the activity: pages over the records of all doors, newest first, as they are asked for by somebody who scrolls.
import { readdirSync, rmSync } from 'node:fs';
import { type Daemon, startDaemon } from '../daemon.ts';
import { generateRecords } from '../generate-records.ts';
import { askSite } from '../people-request.ts';
import { cardOfPerson, seedPeople } from '../people-seed.ts';
import { cpuMs, sleep } from '../processes.ts';
import { quantile } from '../rounds.ts';
import type { Figure, SectionOptions } from '../section.ts';
import { clock } from '../seed.ts';
import { figuresOf } from './scale-figures.ts';

const dayMs = 86_400_000;
const building = { locks: 1_000, days: 180 };
const crowd = { locks: building.locks, people: 20_000, doorsEach: 3, accessLines: 60_000 };
/** As many as the section `records` makes. */
const recordsUsually = 9_000_000;
const pagesEach = 20;
const sealingMs = 300_000;
const goalStop = { atMost: 10 };

const questions = [
  { name: 'unfiltered', query: '', goalMs: 5 },
  { name: 'of a kind of which many are', query: 'kind=unlock', goalMs: 50 },
  { name: 'of a kind of which few are', query: 'kind=alarm', goalMs: 50 },
  { name: 'of a kind of which none are', query: 'kind=door', goalMs: 50 },
  { name: 'of a username', query: 'username=Resident%207', goalMs: 50 },
  { name: 'of a username that nobody has', query: 'username=Nobody', goalMs: 50 },
  { name: 'of a person', query: 'personId=7', goalMs: 50 },
  { name: 'of what succeeded', query: 'success=1', goalMs: 50 },
  { name: 'of what failed', query: 'success=0', goalMs: 50 },
] as const;

interface Place extends Daemon {
  readonly token: string;
}

interface Page {
  readonly list: readonly unknown[];
  readonly next: number | null;
}

export async function activityFigures({ folder, program, quick, say }: SectionOptions): Promise<Figure[]> {
  const asked = Number(process.env['BENCH_RECORDS'] ?? (quick ? recordsUsually / 10 : recordsUsually));
  const recordsPerDay = Math.max(1, Math.round(asked / (building.locks * building.days)));
  const title = `${(building.locks * building.days * recordsPerDay).toLocaleString('en')} records`;
  say(`board: ${title} are made`);
  const dataDir = `${folder}/activity`;
  const { token } = await seedPeople(dataDir, crowd);
  const records = `${dataDir}/records`;
  rmSync(records, { recursive: true });
  // Until yesterday: what is newer than the clock would make the daemon distrust it.
  generateRecords(records, { ...building, recordsPerDay, lastDay: clock.now() - dayMs, unlike });
  const daemon = await startDaemon({ program, dataDir, watched: true });
  const place = { ...daemon, token };
  await sealed(records);
  const figures: Figure[] = [];
  say('board: the first question, which makes the tables of the days');
  const tables = async () => {
    const begun = performance.now();
    const stop = await stopIn(place, () => scroll(place, 'kind=door', 1));
    return { ms: performance.now() - begun, stop };
  };
  const first = `activity of ${title}, the first question about 31 days, which makes their tables`;
  figures.push(
    ...(await figuresOf([{ name: first, measure: tables }], 1, [
      { name: `${first}: time`, unit: 'ms', read: ({ ms }) => ms },
      { name: `${first}: longest stop of the loop`, unit: 'ms', read: ({ stop }) => stop, goal: goalStop },
    ])),
  );
  for (const { name, query, goalMs } of questions) {
    say(`board: activity ${name}`);
    const pages = quick ? 5 : pagesEach;
    const measure = async () => {
      const before = cpuMs(place.pid);
      const times = await scroll(place, query, pages);
      const cpu = (cpuMs(place.pid) - before) / times.length;
      return { p50: quantile(times, 0.5), cpu, stop: await stopIn(place, () => scroll(place, query, pages)) };
    };
    await measure();
    const page = `a page of the activity of ${title}, ${name}`;
    figures.push(
      ...(await figuresOf([{ name, measure }], quick ? 1 : 3, [
        { name: `${page}: p50`, unit: 'ms', read: ({ p50 }) => p50, goal: { atMost: goalMs } },
        { name: `${page}: CPU`, unit: 'ms', read: ({ cpu }) => cpu },
        { name: `${page}: longest stop of the loop`, unit: 'ms', read: ({ stop }) => stop, goal: goalStop },
      ])),
    );
  }
  await daemon.stop();
  rmSync(dataDir, { recursive: true });
  return figures;
}

/** Cards are of the people who have this door; one of 1,000 is refused, and one of 5,000 is an alarm. */
function unlike(lock: number, seq: number) {
  const chosen = lock * 31 + seq;
  if (chosen % 5_000 === 0) return { type: 'tamper', credential: '', username: '' };
  if (seq % 5 !== 0) return {};
  const { locks, people, doorsEach } = crowd;
  const person = Math.max(1, Math.floor((lock + locks * ((seq / 5) % ((people * doorsEach) / locks))) / doorsEach));
  const success = (seq / 5 + lock) % 200 !== 0;
  return { credential: cardOfPerson(person), username: `Resident ${person}`, success };
}

/** Resolves when every day of before today is sealed. */
async function sealed(folder: string): Promise<void> {
  const endsAt = performance.now() + sealingMs;
  for (;;) {
    const names = new Set(readdirSync(folder));
    const days = [...names].filter((name) => name.endsWith('.jsonl'));
    if (days.every((name) => names.has(name.replace('.jsonl', '.index')))) return;
    if (performance.now() > endsAt) throw new Error('the last day was not sealed');
    await sleep(100);
  }
}

/** Milliseconds of pages one after the other, from the newest again where there is no next one. */
async function scroll(place: Place, query: string, pages: number): Promise<readonly number[]> {
  const times: number[] = [];
  let before: number | null = null;
  while (times.length < pages) {
    const from = before === null ? '' : `&before=${before}`;
    const asked = performance.now();
    const page: Page = await askSite<Page>(place, 'GET', `/api/v1/activity?pageSize=50&${query}${from}`);
    times.push(performance.now() - asked);
    if (query === '' && page.list.length === 0) throw new Error('there is no activity');
    before = page.next;
  }
  return times;
}

async function stopIn(place: Place, work: () => Promise<unknown>): Promise<number> {
  const stopWatching = await place.watchLoop();
  await work();
  return stopWatching();
}
