// listeners: how soon what happens at a door is with a thousand programs that listen, what they weigh, and that none of them misses any.
import type { Address } from '../daemon.ts';
import { measureFlush } from '../floors/flush.ts';
import { startFanOut } from '../floors/start-floor.ts';
import { openAudience, type RequiredRole } from '../load/audience.ts';
import { pourEvents } from '../load/event-pour.ts';
import { requestText } from '../load/http-client.ts';
import { firstEventId } from '../load/load-lock.ts';
import { openSocket } from '../load/socket.ts';
import type { Swarm } from '../load/swarm.ts';
import { residentKb, sleep } from '../processes.ts';
import { figureOf, quantile } from '../rounds.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';

const locks = 100;
const pauseMs = 2;
const eventsEach = 10;

export const listenersSection: Section = {
  name: 'listeners',
  async run(options) {
    const figures: Figure[] = [];
    for (const count of [1, 1_000]) figures.push(...(await measure(count, options)));
    return figures;
  },
};

/** A request for live events. */
export function listenText(token: string): string {
  return requestText('GET', '/api/v1/events', token).replace('application/json', 'text/event-stream');
}

async function measure(count: number, options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const title = `live events, ${count.toLocaleString('en')} ${count === 1 ? 'listener' : 'listeners'}`;
  options.say(title);
  const site = await openLatchd(options, { name: `latchd ${count}`, locks });
  const floor = await startFanOut();
  const request = listenText(site.token);
  const emptyKb = residentKb(site.pid);
  const ours = await openAudience({ addresses: [site.http], request, count });
  const theirs = await openAudience({ addresses: [floor.at.http], request, count });
  const poke = await poker(floor.at.poke);
  const waits: { ours: number[]; floor: number[]; flush: number }[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    waits.push({
      ours: await oneByOne(ours, ms, swiper(site.swarm.locks)),
      floor: await oneByOne(theirs, ms, poke),
      flush: await measureFlush(options.folder, 400, 250),
    });
  }
  const keptKb = residentKb(site.pid);
  const told = [];
  for (let round = 0; round < rounds; round++) told.push(await pour(ours, site, count));
  ours.close();
  theirs.close();
  poke.close();
  await floor.stop();
  await site.close();
  const timed = waits.slice(1);
  const at = (share: number): Figure =>
    figureOf(
      `${title}: from the door to the last of them, p${share * 100}`,
      'ms',
      timed.map((round) => quantile(round.ours, share)),
      {
        others: [
          {
            name: 'floors: bare node:http to as many + write and fdatasync',
            values: timed.map(({ floor, flush }) => quantile(floor, share) + flush),
          },
        ],
      },
    );
  return [
    at(0.5),
    at(0.99),
    figureOf(`${title}: events told a second, none missing`, '/s', told),
    ...(count === 1 ? [] : [figureOf(`${title}: memory of each`, 'kB', [(keptKb - emptyKb) / count])]),
  ];
}

/** Something happens, and again when all have heard of it; how long each took. Rejects when somebody misses any. */
export async function oneByOne(audience: RequiredRole, ms: number, happen: () => void): Promise<number[]> {
  const waits: number[] = [];
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt) {
    const all = audience.whenAllHave(audience.heard() + 1);
    const begun = performance.now();
    happen();
    waits.push((await all) - begun);
    await sleep(pauseMs);
  }
  return waits;
}

/** Each call is a swipe at the next of them. */
export function swiper(locks: Swarm['locks']): () => void {
  let n = 0;
  return () => {
    const lock = locks[n++ % locks.length] as (typeof locks)[number];
    const event = `{"seq":${lock.nextSeq()},"type":"card-unlock","success":true,"date":${Date.now()},"credential":"1325672378"}`;
    lock.events(firstEventId, `{"epoch":"${lock.epoch}","events":[${event}]}`);
    lock.flush();
  };
}

async function poker(address: Address): Promise<(() => void) & { close(): void }> {
  const socket = await openSocket({ ...address, onBytes: () => {}, onClose: () => {} });
  return Object.assign(() => void socket.write('.'), { close: () => void socket.destroy() });
}

/** Every lock sends what it has, as fast as it may; what all listeners together were told in a second. */
async function pour(audience: RequiredRole, { swarm, pid }: LatchdSite, count: number): Promise<number> {
  const events = locks * eventsEach;
  const all = audience.whenAllHave(audience.heard() + events);
  const begun = performance.now();
  await pourEvents({ locks: swarm.locks, perMessage: 1, window: 10, messagesEach: eventsEach, pid });
  return ((events * count) / ((await all) - begun)) * 1000;
}
