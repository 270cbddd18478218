// broker: unlocks while others misbehave or come back all at once (Faults T14 and T25); the rest of it has files of its own.
import type { LoopResult } from '../load/closed-loop.ts';
import { openCrowd } from '../load/crowd.ts';
import { type DoorClients, openDoorClients } from '../load/door-clients.ts';
import type { PourResult } from '../load/event-pour.ts';
import { sleep } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';
import { memory, storms } from './storm.ts';
import { strangers } from './strangers.ts';

const clients = 10;
const doors = 100;
const backlogEvents = 150;

export const brokerSection: Section = {
  name: 'broker',
  async run(options) {
    const size = options.quick ? 100 : 1_000;
    const figures: Figure[] = [];
    // Doors that people use, and others that misbehave.
    const site = await openLatchd(options, { locks: doors + size, connected: doors });
    const people = await openDoorClients({ ...site, locks: site.locks.slice(0, doors) }, clients);
    await people.measure(clients, options.quick ? 200 : 2_000);
    figures.push(...(await besideStuckReaders(site, people, options)));
    figures.push(...(await duringBacklogs(site, people, size, options)));
    people.close();
    await site.close();
    figures.push(...(await storms(size, options)), ...(await memory(options)), ...(await strangers(options)));
    return figures;
  },
};

async function besideStuckReaders(site: LatchdSite, people: DoorClients, options: SectionOptions): Promise<Figure[]> {
  const rounds = options.quick ? 1 : 3;
  const ms = options.quick ? 300 : 2_000;
  const stuck = 10;
  options.say(`broker: unlocks beside ${stuck} locks that publish without end and read nothing`);
  const quiet: LoopResult[] = [];
  const beside: LoopResult[] = [];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await people.measure(clients, ms));
    const locks = site.locks.slice(doors + round * stuck, doors + (round + 1) * stuck);
    const task = { kind: 'stuck', ms: ms + 500 } as const;
    const crowd = await openCrowd<{ stillOpen: number }>({ address: site.mqtt, pid: site.pid, locks, epoch: 'stuck', task });
    const flooding = crowd.go();
    await sleep(200);
    beside.push(await people.measure(clients, ms));
    await flooding;
    await crowd.stop();
  }
  return [
    figureOf(
      `unlock beside ${stuck} stuck readers, ${clients} clients: p99`,
      'ms',
      beside.map(({ p99 }) => p99),
      {
        goal: { atMost: 250 },
        others: [{ name: 'without them', values: quiet.map(({ p99 }) => p99) }],
      },
    ),
    figureOf(
      `unlock beside ${stuck} stuck readers, ${clients} clients: unlocks a second`,
      '/s',
      beside.map((one) => one.perSecond),
      {
        others: [{ name: 'without them', values: quiet.map((one) => one.perSecond) }],
      },
    ),
  ];
}

async function duringBacklogs(site: LatchdSite, people: DoorClients, size: number, options: SectionOptions): Promise<Figure[]> {
  const rounds = options.quick ? 1 : 3;
  options.say(`broker: unlocks during ${size} backlogs of ${backlogEvents} events each`);
  const unlocks: LoopResult[] = [];
  const pours: PourResult[] = [];
  for (let round = 0; round < rounds; round++) {
    const locks = site.locks.slice(doors);
    const task = { kind: 'backlog', events: backlogEvents } as const;
    const crowd = await openCrowd<PourResult>({ address: site.mqtt, pid: site.pid, locks, epoch: `backlog${round}`, task });
    let over = false;
    const pouring = crowd.go().finally(() => {
      over = true;
    });
    unlocks.push(await people.measure(clients, 60_000, () => over));
    pours.push(await pouring);
    await crowd.stop();
  }
  const title = `unlock during ${size.toLocaleString('en')} backlogs, ${clients} clients`;
  return [
    figureOf(
      `${title}: p99`,
      'ms',
      unlocks.map(({ p99 }) => p99),
      { goal: { atMost: 30 } },
    ),
    figureOf(
      `${title}: p50`,
      'ms',
      unlocks.map(({ p50 }) => p50),
    ),
    figureOf(
      `${title}: events stored a second`,
      '/s',
      pours.map((one) => one.eventsPerSecond),
      { goal: { atLeast: 25_000 } },
    ),
  ];
}
