// lists: pages over HTTP, beside a trimmed Express that answers as many bytes and does nothing else.
import type { Address } from '../daemon.ts';
import { startTrimmedExpress } from '../floors/start-floor.ts';
import { type LoopResult, runLoop } from '../load/closed-loop.ts';
import { pourEvents } from '../load/event-pour.ts';
import { type HttpClient, openHttpClients, reopen, requestText } from '../load/http-client.ts';
import { alternate, type Contender, figureOf } from '../rounds.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';

const clients = 10;
const pageSize = 20;
const cardsEach = 50;
const recordsEach = 40;

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
      const site = await openLatchd(options, { locks, cardsEach });
      await pourEvents({ locks: site.swarm.locks, perMessage: recordsEach, window: 1, messagesEach: 1, pid: site.pid });
      figures.push(...(await measureSite(site, { pid: floor.pid, http: floor.at.http, clients: floorClients }, options)));
      await site.close();
    }
    await floor.stop();
    return figures;
  },
};

async function measureSite(
  site: LatchdSite,
  floor: { pid: number; http: Address; clients: HttpClient[] },
  options: SectionOptions,
): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  const opened = await openHttpClients(site.http, clients);
  const figures: Figure[] = [];
  for (const { name, path } of pages) {
    const count = site.locks.length;
    const ours = asking('latchd', site, opened, (n) => requestText('GET', path(n, count), site.token), ms);
    const bytes = await bytesOf(opened[0] as HttpClient, requestText('GET', path(0, count), site.token));
    const theirs = asking('floor', floor, floor.clients, () => requestText('GET', `/bytes/${bytes}`, 'none'), ms);
    await alternate([ours, theirs], 1);
    const measured = await alternate([ours, theirs], rounds);
    const results = measured.get('latchd') ?? [];
    const floors = measured.get('floor') ?? [];
    const title = `${name}, ${count.toLocaleString('en')} locks, ${bytes} bytes`;
    const beside = (values: readonly number[]) => ({ name: 'trimmed Express, the same bytes', values });
    figures.push(
      figureOf(`${title}: time of one page`, 'µs', results.map(microseconds), {
        others: [{ ...beside(floors.map(microseconds)), goal: { atMost: 1.5 } }],
      }),
      figureOf(
        `${title}: p99 with ${clients} clients`,
        'ms',
        results.map(({ p99 }) => p99),
        { others: [beside(floors.map(({ p99 }) => p99))] },
      ),
    );
  }
  for (const client of opened) client.close();
  return figures;
}

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
      const begin = (client: number, done: (well: boolean) => void) =>
        void opened[client]?.ask(request(n++), (status) => done(status === 200));
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
