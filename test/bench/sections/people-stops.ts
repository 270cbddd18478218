// people, for how long the event loop stands still: while many people change at once, and while somebody asks about many of them.
import { type Daemon, startDaemon } from '../daemon.ts';
import { askSite, importTable, type PlannedTable } from '../people-request.ts';
import { seedPeople } from '../people-seed.ts';
import { sleep } from '../processes.ts';
import type { Figure, SectionOptions } from '../section.ts';
import { openLatchd } from '../site.ts';
import { figuresOf } from './scale-figures.ts';

interface Watched extends Pick<Daemon, 'http' | 'watchLoop'> {
  readonly token: string;
}

interface Imported {
  readonly state: string;
  readonly conflictCount: number;
}

/** How long what follows a change may take: decisions are looked at some milliseconds later. */
const afterwardsMs = 3_000;
const goal = { atMost: 10 };

async function stopDuring(site: Watched, work: () => Promise<unknown>, waitMs = 0): Promise<number> {
  const stopWatching = await site.watchLoop();
  await work();
  await sleep(waitMs);
  return stopWatching();
}

/** A table that is applied, and its schedule changed. Only its first application adds people, so each round has a daemon of its own. */
export async function changeStopFigures(options: SectionOptions): Promise<Figure[]> {
  const people = options.quick ? 100 : 10_000;
  const locks = 20;
  const title = `${people.toLocaleString('en')} people and ${locks} doors`;
  options.say(`people: stops of the loop, ${title}`);
  let round = 0;
  const measure = async () => {
    round += 1;
    const site = await openLatchd(options, { name: `stops-${round}`, locks, connected: 0, watched: true });
    const hours = (to: number) => [{ days: [1, 2, 3, 4, 5], from: 480, to }];
    const schedules = '/api/v1/access/schedules';
    const { scheduleId } = await askSite<{ scheduleId: number }>(site, 'POST', schedules, { body: { name: 'Work', hours: hours(1_080) } });
    const doors = site.locks.map(({ lockId }) => `lock:${lockId}`);
    const imports = '/api/v1/access/imports';
    const { importId, plan } = await askSite<PlannedTable>(site, 'POST', imports, { csv: importTable(doors, people, 'Work') });
    const apply = async () => {
      await askSite(site, 'POST', `${imports}/${importId}/apply`, { body: { plan } });
      for (let state = 'applying'; state === 'applying'; await sleep(50))
        ({ state } = await askSite<Imported>(site, 'GET', `${imports}/${importId}`));
    };
    const applied = await stopDuring(site, apply, afterwardsMs);
    const change = () => askSite(site, 'PUT', `${schedules}/${scheduleId}`, { body: { hours: hours(1_020) } });
    const changed = await stopDuring(site, change, afterwardsMs);
    await site.close();
    return { applied, changed };
  };
  return figuresOf([{ name: title, measure }], options.quick ? 1 : 3, [
    { name: `longest stop of the loop while an import of ${title} is applied`, unit: 'ms', read: ({ applied }) => applied, goal },
    { name: `longest stop of the loop after a schedule of ${title} was changed`, unit: 'ms', read: ({ changed }) => changed, goal },
  ]);
}

/** What one request costs the others, where there are many people. */
export async function questionStopFigures({ folder, program, quick, say }: SectionOptions): Promise<Figure[]> {
  const people = quick ? 100 : 20_000;
  const crowd = { locks: 20, people, doorsEach: 3, accessLines: quick ? 1_000 : 100_000 };
  const directory = `${folder}/stops`;
  const title = `${people.toLocaleString('en')} people and ${crowd.locks} locks`;
  say(`people: stops of the loop, ${title}`);
  const { token } = await seedPeople(directory, crowd);
  const daemon = await startDaemon({ program, dataDir: directory, watched: true });
  const site = { ...daemon, token };
  const get = (path: string) => () => askSite(site, 'GET', `/api/v1/access/${path}`);
  const suspend = (suspended: boolean) => () => askSite(site, 'PUT', '/api/v1/access/people/7', { body: { suspended } });
  const questions = [
    { name: 'all are exported', work: get('export.csv') },
    {
      name: `somebody asks who could open a lock with ${crowd.accessLines / crowd.locks} lines of the access log`,
      work: get(`who?lockId=1&date=${Date.now()}&pageSize=1000`),
    },
    { name: 'somebody is suspended', work: suspend(true), waitMs: afterwardsMs },
    { name: 'somebody is not suspended any more', work: suspend(false), waitMs: afterwardsMs },
    { name: 'grants are listed', work: get('grants?pageSize=1000') },
    { name: 'grants of a lock are listed', work: get('grants?lockId=1&pageSize=1000') },
    { name: 'people are searched', work: get('people?search=resident%201&pageSize=1000') },
  ];
  const figures: Figure[] = [];
  for (const { name, work, waitMs } of questions) {
    await work();
    const measure = () => stopDuring(site, work, waitMs);
    const reading = { name: `longest stop of the loop while ${name}, ${title}`, unit: 'ms', read: (stop: number) => stop, goal } as const;
    figures.push(...(await figuresOf([{ name, measure }], quick ? 1 : 5, [reading])));
  }
  await daemon.stop();
  return figures;
}
