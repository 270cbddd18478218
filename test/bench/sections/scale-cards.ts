// scale, of cards: what ten thousand on one lock cost that lock and all others, and a million the start.
import { calibration } from '../calibration.ts';
import { startDaemon } from '../daemon.ts';
import { type Held, whileChanging } from '../load/changes.ts';
import { type PourResult, pourEvents } from '../load/event-pour.ts';
import { cpuMs, residentKb } from '../processes.ts';
import { alternate, figureOf } from '../rounds.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';
import { type LatchdSite, openLatchd } from '../site.ts';

/** Locks that tell of swipes: so many that none tells of more than the gateway takes of one at once. */
const swipedLocks = 50;

export async function cardFigures(options: SectionOptions): Promise<Figure[]> {
  return [...(await held(options)), ...(await swipes(options)), ...(await startWithCards(options))];
}

/** One lock with very many cards, and another beside it: who asks the other one waits for the first, if anything holds the loop. */
async function held(options: SectionOptions): Promise<Figure[]> {
  const { rounds } = effort(options, { rounds: 5, ms: 0 });
  const [most, less] = options.quick ? [1_000, 100] : [10_000, 1_000];
  const sites: [LatchdSite, LatchdSite] = [
    await openLatchd(options, { name: 'many cards', locks: 2, cardsEach: most }),
    await openLatchd(options, { name: 'a tenth of them', locks: 2, cardsEach: less }),
  ];
  const always = 'startDate=0&endDate=0';
  const kinds = [
    {
      name: 'what is on the lock is asked',
      goal: 60_000,
      change: () => ({ method: 'GET', path: '/api/v1/identity-card/on-lock?lockId=1&pageNo=1&pageSize=20' }) as const,
    },
    {
      name: 'cards are added',
      goal: 2_000,
      change: (n: number) => {
        const path = `/api/v1/identity-card/add?lockId=1&cardNumber=${777_000_000 + n}&cardName=new&addType=2&method=regular&${always}`;
        return { method: 'POST', path } as const;
      },
    },
    {
      name: 'a page of cards is asked',
      goal: 300,
      change: (n: number) => ({ method: 'GET', path: `/api/v1/identity-card/list?lockId=1&pageNo=${1 + n}&pageSize=20` }) as const,
    },
  ];
  const figures: Figure[] = [];
  for (const { name, goal, change } of kinds) {
    options.say(`scale: ${most.toLocaleString('en')} cards on a lock: ${name}`);
    let asked = 0;
    const some = () => Array.from({ length: 10 }, () => change(asked++));
    const contenders = sites.map((site) => ({ name: site.name, measure: () => whileChanging(site, some()) }));
    const fixed = {
      name: 'a fixed piece of work (ms)',
      measure: async (): Promise<Held> => ({ longest: calibration(), cpuMicros: calibration() }),
    };
    const measured = await alternate([...contenders, fixed], rounds);
    const [ours, ...others] = [...measured].map(([one, values]) => ({ name: one, values }));
    const by = (read: (one: Held) => number) => others.map((other) => ({ name: other.name, values: other.values.map(read) }));
    const title = `${name}, ${most.toLocaleString('en')} cards on the lock`;
    const values = ours?.values ?? [];
    figures.push(
      figureOf(
        `longest answer of /healthz while ${title}`,
        'ms',
        values.map(({ longest }) => longest),
        { goal: { atMost: 25 }, others: by(({ longest }) => longest) },
      ),
      figureOf(
        `CPU of a request while ${title}`,
        'µs',
        values.map(({ cpuMicros }) => cpuMicros),
        { goal: { atMost: goal }, others: by(({ cpuMicros }) => cpuMicros) },
      ),
    );
  }
  for (const site of sites) await site.close();
  return figures;
}

/** Swipes of cards that the gateway knows, beside locks without any. */
async function swipes(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  const counts = options.quick ? [0, 100] : [0, 1_000, 10_000];
  options.say('scale: swipes');
  const sites: LatchdSite[] = [];
  for (const count of counts) sites.push(await openLatchd(options, { name: `${count} cards`, locks: swipedLocks, cardsEach: count }));
  const pour = (site: LatchdSite, perMessage: number) => pourEvents({ locks: site.swarm.locks, perMessage, window: 20, ms, pid: site.pid });
  const [none, ...others] = sites as [LatchdSite, ...LatchdSite[]];
  const figures: Figure[] = [];
  for (const perMessage of [1, 100]) {
    const contenders = sites.map((site) => ({ name: site.name, measure: () => pour(site, perMessage) }));
    await alternate(contenders, 1);
    const measured = await alternate(contenders, rounds);
    const rate = (site: LatchdSite) => (measured.get(site.name) ?? []).map(({ eventsPerSecond }: PourResult) => eventsPerSecond);
    for (const site of others) {
      const title = `swipes ${perMessage === 1 ? 'singly' : `in batches of ${perMessage}`}, ${site.name} on each lock`;
      const goal = { atLeast: site.name.startsWith('10000') ? 0.8 : 0.85 };
      figures.push(figureOf(title, '/s', rate(site), { others: [{ name: 'locks without cards', values: rate(none), goal }] }));
    }
  }
  for (const site of sites) await site.close();
  return figures;
}

async function startWithCards(options: SectionOptions): Promise<Figure[]> {
  const { folder, program, quick, say } = options;
  const [locks, cardsEach] = quick ? [10, 100] : [1_000, 1_000];
  say(`scale: a start with ${(locks * cardsEach).toLocaleString('en')} cards`);
  const [without, filled] = [`${folder}/no-cards`, `${folder}/all-cards`];
  await seedDirectory(without, locks);
  await seedDirectory(filled, locks, cardsEach);
  async function started(dataDir: string) {
    const { pid, startMs, stop } = await startDaemon({ program, dataDir });
    const result = { startMs, cpu: cpuMs(pid), kb: residentKb(pid) };
    await stop();
    return result;
  }
  const measured = await alternate(
    [
      { name: 'cards', measure: () => started(filled) },
      { name: 'none', measure: () => started(without) },
    ],
    quick ? 1 : 5,
  );
  const [ours, floor] = [measured.get('cards') ?? [], measured.get('none') ?? []];
  const title = `with ${(locks * cardsEach).toLocaleString('en')} cards on ${locks.toLocaleString('en')} locks`;
  const bytes = ours.map(({ kb }, round) => ((kb - (floor[round]?.kb ?? 0)) * 1_024) / (locks * cardsEach));
  const none = (read: (one: (typeof ours)[number]) => number) => [{ name: 'no cards', values: floor.map(read) }];
  return [
    figureOf(
      `start ${title}`,
      'ms',
      ours.map(({ startMs }) => startMs),
      { goal: { atMost: 2_000 }, others: none(({ startMs }) => startMs) },
    ),
    figureOf(
      `CPU of a start ${title}`,
      'ms',
      ours.map(({ cpu }) => cpu),
      { others: none(({ cpu }) => cpu) },
    ),
    figureOf(`bytes of memory for a card after a start ${title}`, '', bytes, { goal: { atMost: 150 } }),
  ];
}
