// events: what happens at the doors, durable before it is acknowledged; mosquitto and bare Aedes acknowledge without storing.
import type { Address } from '../daemon.ts';
import { measureFlush } from '../floors/flush.ts';
import { startMosquitto } from '../floors/mosquitto.ts';
import { startBareBridge, startEcho } from '../floors/start-floor.ts';
import { measureEcho } from '../load/echo-client.ts';
import { type PourResult, pourEvents } from '../load/event-pour.ts';
import { windowAtMost } from '../load/load-lock.ts';
import { connectSwarm } from '../load/swarm.ts';
import { alternate, type Contender, figureOf, type Other, type Rounds } from '../rounds.ts';
import { effort, type Figure, type Goal, type Section, type SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';
import { openLatchd } from '../site.ts';

/** Of each lock; each event is a swipe of one of them. */
const cardsEach = 100;
/** What is under way in all, so that a round ends soon after its time. */
const eventsUnderWay = 200_000;

interface Load {
  readonly title: string;
  readonly locks: number;
  readonly perMessage: number;
  readonly goal?: Goal;
  /** Of the ratio to mosquitto. */
  readonly besideMosquitto?: Goal;
}

const loads: readonly Load[] = [
  { title: '100 locks, singly', locks: 100, perMessage: 1, besideMosquitto: { atLeast: 0.9 } },
  { title: '1,000 locks, singly', locks: 1_000, perMessage: 1, besideMosquitto: { atLeast: 0.9 } },
  { title: '100 locks, batches of 100', locks: 100, perMessage: 100, goal: { atLeast: 250_000 } },
  { title: '1,000 locks, batches of 100', locks: 1_000, perMessage: 100, goal: { atLeast: 250_000 } },
];

interface Target {
  readonly name: string;
  readonly pid: number;
  readonly mqtt: Address;
  close(): Promise<void>;
}

export const eventsSection: Section = {
  name: 'events',
  async run(options) {
    const { targets, locks } = await openTargets(options);
    const figures: Figure[] = [];
    for (const load of loads) figures.push(...(await pour(load, targets, locks, options)));
    figures.push(...(await oneAtATime(targets, locks, options)));
    for (const { close } of targets) await close();
    return figures;
  },
};

async function openTargets(options: SectionOptions): Promise<{ targets: Target[]; locks: readonly BenchLock[] }> {
  const latchd = await openLatchd(options, { locks: 1_000, cardsEach });
  const before =
    options.before === undefined
      ? undefined
      : await openLatchd(options, { name: 'latchd before', program: options.before, locks: 1_000, cardsEach });
  // Each load connects its own locks.
  latchd.swarm.close();
  before?.swarm.close();
  const bare = await startBareBridge();
  const mosquittos = [await startMosquitto(options.folder, 'on', options.say), await startMosquitto(options.folder, 'off', options.say)];
  const targets: Target[] = [
    latchd,
    ...(before === undefined ? [] : [before]),
    { name: 'bare Aedes', pid: bare.pid, mqtt: bare.at.mqtt, close: bare.stop },
    ...mosquittos.filter((one) => one !== undefined).map(({ name, pid, mqtt, stop }) => ({ name, pid, mqtt, close: stop })),
  ];
  return { targets, locks: latchd.locks };
}

/** Every lock keeps its window full. */
async function pour(load: Load, targets: readonly Target[], locks: readonly BenchLock[], options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  options.say(`events: ${load.title}`);
  const window = Math.min(windowAtMost, eventsUnderWay / load.locks / load.perMessage);
  const { contenders, close } = await connectTo(targets, locks.slice(0, load.locks), `e${loads.indexOf(load)}`, (swarmLocks, pid) =>
    pourEvents({ locks: swarmLocks, perMessage: load.perMessage, window, ms, pid }),
  );
  // Warm-up.
  await alternate(contenders, 1);
  const measured = await alternate(contenders, rounds);
  close();
  const [ours, others] = split(measured);
  const goalOf = (name: string) => (name.startsWith('mosquitto') && load.besideMosquitto ? { goal: load.besideMosquitto } : {});
  const pick = (by: (one: PourResult) => number): Other[] => others.map(([name, results]) => ({ name, values: results.map(by) }));
  const title = `events, ${load.title}`;
  return [
    figureOf(
      `${title}: events a second`,
      '/s',
      ours.map((one) => one.eventsPerSecond),
      {
        ...(load.goal && { goal: load.goal }),
        others: pick((one) => one.eventsPerSecond).map((other) => ({ ...other, ...goalOf(other.name) })),
      },
    ),
    figureOf(
      `${title}: time to PUBACK, p50`,
      'ms',
      ours.map(({ ackP50 }) => ackP50),
      { others: pick(({ ackP50 }) => ackP50) },
    ),
    figureOf(
      `${title}: time to PUBACK, p99`,
      'ms',
      ours.map(({ ackP99 }) => ackP99),
      { others: pick(({ ackP99 }) => ackP99) },
    ),
    figureOf(
      `${title}: CPU of one event`,
      'µs',
      ours.map((one) => one.cpuMicrosPerEvent),
      { others: pick((one) => one.cpuMicrosPerEvent) },
    ),
  ];
}

/** One lock, one event under way: how long a door waits for its PUBACK. */
async function oneAtATime(targets: readonly Target[], locks: readonly BenchLock[], options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  options.say('events: one lock, one event at a time');
  const { contenders, close } = await connectTo(targets, locks.slice(0, 1), 'one', (swarmLocks, pid) =>
    pourEvents({ locks: swarmLocks, perMessage: 1, window: 1, ms, pid }),
  );
  const echo = await startEcho();
  const floors: { echo: number; flush: number }[] = [];
  const measured = await alternate(contenders, rounds);
  for (let round = 0; round < rounds; round++) {
    floors.push({ echo: await measureEcho(echo.at.echo, ms), flush: await measureFlush(options.folder, 400, ms) });
  }
  close();
  await echo.stop();
  const [ours, others] = split(measured);
  return [
    figureOf(
      'events, one lock, one at a time: time to PUBACK, p50',
      'ms',
      ours.map(({ ackP50 }) => ackP50),
      {
        others: [
          { name: 'floors: TCP echo + write and fdatasync', values: floors.map(({ echo, flush }) => echo + flush) },
          ...others.map(([name, results]) => ({ name, values: results.map(({ ackP50 }) => ackP50) })),
        ],
      },
    ),
  ];
}

async function connectTo(
  targets: readonly Target[],
  locks: readonly BenchLock[],
  epoch: string,
  measure: (locks: Awaited<ReturnType<typeof connectSwarm>>['locks'], pid: number) => Promise<PourResult>,
): Promise<{ contenders: Contender<PourResult>[]; close: () => void }> {
  const contenders: Contender<PourResult>[] = [];
  const closes: (() => void)[] = [];
  for (const { name, pid, mqtt } of targets) {
    const swarm = await connectSwarm({ address: mqtt, locks, epoch });
    contenders.push({ name, measure: () => measure(swarm.locks, pid) });
    closes.push(swarm.close);
  }
  return { contenders, close: () => closes.forEach((close) => void close()) };
}

function split(measured: Rounds<PourResult>): [readonly PourResult[], (readonly [string, readonly PourResult[]])[]] {
  const [ours, ...others] = [...measured];
  return [ours?.[1] ?? [], others];
}
