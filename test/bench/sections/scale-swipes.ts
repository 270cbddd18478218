// scale, of swipes: what the cards of a lock cost each event of it.
import { pourEvents } from '../load/event-pour.ts';
import { alternate } from '../rounds.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';
import { figuresOf } from './scale-figures.ts';

/** Locks that tell of swipes: so many that none tells of more than the gateway takes of one at once. */
const swipedLocks = 50;
const batch = 100;

/** Swipes of cards that the gateway knows, beside locks with a tenth of them and without any. */
export async function swipeFigures(options: SectionOptions): Promise<Figure[]> {
  const [most, less] = options.quick ? [1_000, 100] : [10_000, 1_000];
  const open = (cardsEach: number) =>
    openLatchd(options, { name: `${cardsEach.toLocaleString('en')} cards each`, locks: swipedLocks, cardsEach, watched: true });
  const [many, fewer, none] = [await open(most), await open(less), await open(0)];
  const figures = [
    ...(await rates(options, [many, fewer, none], 0.8)),
    ...(await rates(options, [fewer, none], 0.85)),
    ...(await batches(options, [many, fewer, none])),
  ];
  for (const site of [many, fewer, none]) await site.close();
  return figures;
}

async function rates(options: SectionOptions, sites: readonly LatchdSite[], atLeast: number): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  const figures: Figure[] = [];
  for (const perMessage of [1, batch]) {
    const title = `swipes ${perMessage === 1 ? 'singly' : `in batches of ${perMessage}`}, ${sites[0]?.name}`;
    options.say(`scale: ${title}`);
    const contenders = sites.map((site) => ({
      name: site.name,
      measure: () => pourEvents({ locks: site.swarm.locks, perMessage, window: 20, ms, pid: site.pid }),
    }));
    await alternate(contenders, 1);
    figures.push(
      ...(await figuresOf(contenders, rounds, [
        { name: `${title}: events a second`, unit: '/s', read: ({ eventsPerSecond }) => eventsPerSecond, ratio: { atLeast } },
        { name: `${title}: CPU of one event`, unit: 'µs', read: ({ cpuMicrosPerEvent }) => cpuMicrosPerEvent },
      ])),
    );
  }
  return figures;
}

/** One lock that sends a batch when the one before is acknowledged, and no other traffic. */
async function batches(options: SectionOptions, sites: readonly LatchdSite[]): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 250 });
  const title = `a batch of ${batch} swipes, ${sites[0]?.name}`;
  options.say(`scale: ${title}`);
  const contenders = sites.map((site) => {
    let next = 0;
    return {
      name: site.name,
      async measure() {
        const locks = site.swarm.locks.slice(next, ++next);
        await pourEvents({ locks, perMessage: batch, window: 1, messagesEach: 10, pid: site.pid });
        const stopWatching = await site.watchLoop();
        const { ackP50 } = await pourEvents({ locks, perMessage: batch, window: 1, ms, pid: site.pid });
        return { ackP50, stopMs: await stopWatching() };
      },
    };
  });
  return figuresOf(contenders, rounds, [
    { name: `${title}: until its PUBACK`, unit: 'ms', read: ({ ackP50 }) => ackP50, goal: { atMost: 2 } },
    { name: `${title}: longest stop of the loop`, unit: 'ms', read: ({ stopMs }) => stopMs, goal: { atMost: 10 } },
  ]);
}
