// lists: pages over HTTP, beside a trimmed Express that answers as many bytes and does nothing else.
import type { Address } from '../daemon.ts';
import { startTrimmedExpress } from '../floors/start-floor.ts';
import { type LoopResult, runLoop } from '../load/closed-loop.ts';
import { pourEvents } from '../load/event-pour.ts';
import { type HttpClient, openHttpClients, reopen, requestText } from '../load/http-client.ts';
import { alternate, type Contender, figureOf } from '../rounds.ts';
import { effort, type Figure, type Goal, type Section, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';

const clients = 10;
const pageSize = 20;
const cardsEach = 50;
const recordsEach = 40;
/** A page takes a third less time once V8 has compiled all that it needs, which takes it some thousands of them. */
const warmUpRounds = 4;

/** Of the nth request, for so many locks. */
const pages: readonly { readonly name: string; path(n: number, locks: number): string }[] = [
  {
    name: 'lock/list',
    path: (n, locks) => `/api/v1/lock/list?pageNo=${1 + (n % Math.ceil(locks / pageSize))}&pageSize=${pageSize}`,
  },
  {
    name: 'lock/records',
    path: (n, locks) => `/api/v1/lock/records?lockId=${1 + (n % locks)}&pageNo=1&pageSize=${pageSize}&startDate=1&endDate=0`,
  },
  {
    name: 'identity-card/list',
    path: (n, locks) => `/api/v1/identity-card/list?lockId=${1 + (n % locks)}&pageNo=1&pageSize=${pageSize}`,
  },
];

export const listsSection: Section = {
  name: 'lists',
  async run(options) {
    const floor = await startTrimmedExpress();
    const floorClients = await openHttpClients(floor.at.http, clients);
    const figures: Figure[] = [];
    for (const locks of options.quick ? [10] : [10, 1_000, 10_000]) {
      options.say(`lists: ${locks} locks`);
      const site = await openFilled(options, locks);
      const before = options.before === undefined ? undefined : await openFilled(options, locks, 'latchd before', options.before);
      const sites = [site, ...(before === undefined ? [] : [before])];
      figures.push(...(await measureSites(sites, { pid: floor.pid, http: floor.at.http, clients: floorClients }, options)));
      await site.close();
      await before?.close();
    }
    await floor.stop();
    return figures;
  },
};

/** Locks with cards, that have each told of some events. */
async function openFilled(options: SectionOptions, locks: number, name = 'latchd', program = options.program): Promise<LatchdSite> {
  const site = await openLatchd(options, { name, program, locks, cardsEach });
  await pourEvents({ locks: site.swarm.locks, perMessage: recordsEach, window: 1, messagesEach: 1, pid: site.pid });
  // Twice ten thousand connections are more than one process may open.
  if (options.before !== undefined) site.swarm.close();
  return site;
}

async function measureSites(
  sites: readonly LatchdSite[],
  floor: { pid: number; http: Address; clients: HttpClient[] },
  options: SectionOptions,
): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  const served = await Promise.all(sites.map(async (site) => ({ site, opened: await openHttpClients(site.http, clients) })));
  const [{ site: first, opened: firstClients }] = served as [(typeof served)[0]];
  const figures: Figure[] = [];
  for (const { name, path } of pages) {
    const count = first.locks.length;
    await reopen(firstClients, first.http);
    const bytes = await bytesOf(firstClients[0] as HttpClient, requestText('GET', path(0, count), first.token));
    const contenders = [
      ...served.map(({ site, opened }) => asking(site.name, site, opened, (n) => requestText('GET', path(n, count), site.token), ms)),
      asking('floor', floor, floor.clients, () => requestText('GET', `/bytes/${bytes}`, 'none'), ms),
    ];
    await alternate(contenders, warmUpRounds);
    const measured = await alternate(contenders, rounds);
    const [ours, ...earlier] = served.map(({ site }) => ({ name: site.name, results: measured.get(site.name) ?? [] }));
    const floors = measured.get('floor') ?? [];
    const title = `${name}, ${count.toLocaleString('en')} locks, ${bytes} bytes`;
    const beside = (by: (one: LoopResult) => number, goal?: Goal) => [
      { name: 'trimmed Express, the same bytes', values: floors.map(by), ...(goal && { goal }) },
      ...earlier.map(({ name, results }) => ({ name, values: results.map(by) })),
    ];
    const results = ours?.results ?? [];
    figures.push(
      figureOf(`${title}: time of one page`, 'µs', results.map(microseconds), { others: beside(microseconds, { atMost: 1.5 }) }),
      figureOf(`${title}: CPU of one page`, 'µs', results.map(cpu), { others: beside(cpu) }),
      figureOf(`${title}: p99 with ${clients} clients`, 'ms', results.map(p99), { others: beside(p99) }),
    );
  }
  for (const client of served.flatMap(({ opened }) => opened)) client.close();
  return figures;
}

const cpu = ({ cpuMicros }: LoopResult): number => cpuMicros;
const p99 = ({ p99 }: LoopResult): number => p99;

/** What the server spends on one page when it has nothing else to do than pages. */
function microseconds({ perSecond }: LoopResult): number {
  return 1e6 / perSecond;
}

function asking(
  name: string,
  { pid, http }: { readonly pid: number; readonly http: Address },
  opened: HttpClient[],
  request: (n: number) => string,
  ms: number,
): Contender<LoopResult> {
  let n = 0;
  return {
    name,
    async measure() {
      await reopen(opened, http);
      const begin = (client: number, done: (status: number) => void) => void opened[client]?.ask(request(n++), done);
      return runLoop({ clients, ms, pid, begin });
    },
  };
}

function bytesOf(client: HttpClient, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    client.ask(request, (status, bytes) =>
      status === 200 ? resolve(bytes) : reject(new Error(`${status} for ${request.split('\r\n')[0]}`)),
    );
  });
}
