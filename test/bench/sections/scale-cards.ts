// scale, of cards: what ten thousand on one lock cost that lock, and what everybody else waits for meanwhile.
import { type Asked, type Cost, costOf, make } from '../load/changes.ts';
import { type DoorClients, openDoorClients } from '../load/door-clients.ts';
import { type HttpClient, openHttpClients } from '../load/http-client.ts';
import type { LoadLock } from '../load/load-lock.ts';
import { cpuMs } from '../processes.ts';
import { alternate } from '../rounds.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';
import { figuresOf, type Reading } from './scale-figures.ts';

/** The first lock is the one whose cards are asked for; people use the doors of the others. */
const otherDoors = 4;
/** From this one on, locks that nobody has asked for their cards: two for each measurement, half of which is watched. */
const firstUnread = otherDoors + 2;
/** Before anything counts: while the first hundred changes are made their code is compiled, which is most of what those cost. */
const warmUps = 5;
const always = 'startDate=0&endDate=0';

export async function cardFigures(options: SectionOptions): Promise<Figure[]> {
  const { rounds } = effort(options, { rounds: 5, ms: 0 });
  const rehearsals = options.quick ? 1 : warmUps;
  const locks = otherDoors + 1 + 2 * (rounds + rehearsals);
  const [most, less] = options.quick ? [1_000, 100] : [10_000, 1_000];
  const sites: LatchdSite[] = [];
  for (const cardsEach of [most, less]) {
    const name = `${cardsEach.toLocaleString('en')} cards`;
    sites.push(await openLatchd(options, { name, locks, connected: otherDoors + 1, cardsEach, watched: true, commandTimeoutMs: 5_000 }));
  }
  const title = `${sites[0]?.name} on the lock`;
  options.say(`scale: ${title}`);
  const figures: Figure[] = [];
  for (const { name, some, answerMs, cpuMicros } of changes) {
    const contenders = sites.map((site) => {
      let round = 0;
      return { name: site.name, measure: () => costOf(site, some(round++)) };
    });
    await alternate(contenders, rehearsals);
    figures.push(
      ...(await figuresOf<Cost>(contenders, rounds, [
        { name: `longest stop of the loop while ${name}, ${title}`, unit: 'ms', read: ({ stopMs }) => stopMs, goal: { atMost: 10 } },
        {
          name: `answer while ${name}, ${title}`,
          unit: 'ms',
          read: (one) => one.answerMs,
          ...(answerMs && { goal: { atMost: answerMs } }),
        },
        {
          name: `CPU of a request while ${name}, ${title}`,
          unit: 'µs',
          read: (one) => one.cpuMicros,
          ...(cpuMicros && { goal: { atMost: cpuMicros } }),
        },
      ])),
    );
  }
  for (const one of [onLock, settling]) figures.push(...(await besideDoors(sites, rounds, one, title)));
  for (const site of sites) await site.close();
  return figures;
}

interface Kind {
  readonly name: string;
  /** Goals. */
  readonly answerMs?: number;
  readonly cpuMicros?: number;
  /** Of the nth measurement, each with others. */
  some(n: number): Asked[];
}

const pageOf = (lockId: number, pageNo: number): Asked => {
  return { method: 'GET', path: `/api/v1/identity-card/list?lockId=${lockId}&pageNo=${pageNo}&pageSize=20` };
};

const changes: readonly Kind[] = [
  {
    name: 'cards are added',
    answerMs: 12,
    cpuMicros: 2_000,
    some: (n) => Array.from({ length: 40 }, (_, one) => ({ method: 'POST', path: addition(777_000_000 + n * 40 + one) })),
  },
  {
    name: 'pages of cards are asked',
    cpuMicros: 300,
    some: () => Array.from({ length: 100 }, (_, one) => pageOf(1, 1 + ((one * 7) % 5))),
  },
  {
    name: 'the first page of a lock is asked, whose cards are read for it',
    some: (n) => [pageOf(firstUnread + 2 * n, 1), pageOf(firstUnread + 2 * n + 1, 1)],
  },
];

function addition(cardNumber: number): string {
  return `/api/v1/identity-card/add?lockId=1&cardNumber=${cardNumber}&cardName=new&addType=2&method=regular&${always}`;
}

/** A piece of work on the first lock that takes many commands; `begin` resolves when it has begun and with what resolves at its end. */
interface LongWork {
  readonly name: string;
  begin(site: LatchdSite, client: HttpClient): Promise<{ readonly over: Promise<unknown> }>;
}

const onLock: LongWork = {
  name: 'what is on the lock is asked',
  async begin({ token }, client) {
    return { over: make(client, token, [{ method: 'GET', path: '/api/v1/identity-card/on-lock?lockId=1&pageNo=1&pageSize=20' }]) };
  },
};

let unanswered = 888_000_000;
/** The lock gives no reply to an addition, so the gateway asks it for all its cards. */
const settling: LongWork = {
  name: 'a card change without a reply is settled',
  async begin({ token, swarm, nextLine }, client) {
    const [lock] = swarm.locks as readonly [LoadLock];
    lock.ignore('add-card');
    const over = nextLine('card-settled');
    const refused = await make(client, token, [{ method: 'POST', path: addition(unanswered++) }]).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (!refused?.endsWith('504')) throw new Error(`an addition without a reply was not answered 504: ${refused ?? '200'}`);
    lock.ignore(undefined);
    return { over };
  },
};

interface Beside {
  readonly stopMs: number;
  readonly unlockMs: number;
  readonly cpuMs: number;
  readonly ms: number;
}

/** The work beside people at other doors, while the loop is watched; then once more alone, for its time and CPU. */
async function besideDoors(sites: readonly LatchdSite[], rounds: number, { name, begin }: LongWork, lockTitle: string): Promise<Figure[]> {
  const opened = new Map<LatchdSite, DoorClients>();
  for (const site of sites) opened.set(site, await openDoorClients({ ...site, locks: site.locks.slice(1, 1 + otherDoors) }, otherDoors));
  async function measure(site: LatchdSite): Promise<Beside> {
    const people = opened.get(site) as DoorClients;
    await people.measure(otherDoors, 200);
    const [client] = (await openHttpClients(site.http, 1)) as [HttpClient];
    const first = await begin(site, client);
    let isOver = false;
    const ended = first.over.finally(() => {
      isOver = true;
    });
    const stopWatching = await site.watchLoop();
    const { longest } = await people.measure(otherDoors, 60_000, () => isOver);
    const stopMs = await stopWatching();
    await ended;
    const second = await begin(site, client);
    const [cpuBefore, startedAt] = [cpuMs(site.pid), performance.now()];
    await second.over;
    const cost = { cpuMs: cpuMs(site.pid) - cpuBefore, ms: performance.now() - startedAt };
    client.close();
    return { stopMs, unlockMs: longest, ...cost };
  }
  const title = `${name}, ${lockTitle}`;
  const readings: readonly Reading<Beside>[] = [
    { name: `longest unlock of another lock while ${title}`, unit: 'ms', read: ({ unlockMs }) => unlockMs, goal: { atMost: 25 } },
    { name: `longest stop of the loop while ${title}`, unit: 'ms', read: ({ stopMs }) => stopMs, goal: { atMost: 10 } },
    { name: `CPU while ${title}`, unit: 'ms', read: (one) => one.cpuMs, goal: { atMost: 60 } },
    { name: `time while ${title}`, unit: 'ms', read: ({ ms }) => ms },
  ];
  const figures = await figuresOf(
    sites.map((site) => ({ name: site.name, measure: () => measure(site) })),
    rounds,
    readings,
  );
  for (const people of opened.values()) people.close();
  return figures;
}
