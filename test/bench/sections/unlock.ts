// unlock: HTTP to the lock and back, alternately lock and unlock, so that each request is a command and its reply.

import { openNodeRed } from '../floors/node-red.ts';
import { startEcho } from '../floors/start-floor.ts';
import type { DoorResult } from '../load/door-clients.ts';
import { measureEcho } from '../load/echo-client.ts';
import { alternate, figureOf, median, type Other, type Rounds } from '../rounds.ts';
import { effort, type Figure, type Goal, type Section, type SectionOptions } from '../section.ts';
import { openBareBridge, openClients, openHello, openLatchd, openMosquittoBridge, type Site } from '../site.ts';

const clientCounts = [1, 10, 100];
const goals: Readonly<Record<string, Readonly<Record<number, Goal>>>> = {
  'Express hello world': { 100: { atLeast: 1.2 } },
  'bare Express + Aedes': { 100: { atLeast: 2 } },
  'Node-RED QoS 0': { 100: { atLeast: 2 } },
  'Node-RED QoS 1': { 10: { atLeast: 15 }, 100: { atLeast: 3.5 } },
};

export const unlockSection: Section = {
  name: 'unlock',
  run: async (options) => [...(await besideOthers(options)), ...(await wholeLocks(options)), ...(await manyLocks(options))],
};

/** Each site, in each round, with 1, 10 and 100 clients. */
async function measureSites(sites: readonly Site[], options: SectionOptions, rounds: number, ms: number) {
  const clients = await openClients(sites, 100, options.quick ? 200 : 2_000);
  const measured = new Map<number, Rounds<DoorResult>>();
  for (const count of clientCounts) {
    options.say(`unlock: ${count} ${count === 1 ? 'client' : 'clients'}, ${sites.map(({ name }) => name).join(', ')}`);
    const contenders = [...clients].map(([name, { measure }]) => ({ name, measure: () => measure(count, ms) }));
    measured.set(count, await alternate(contenders, rounds));
  }
  for (const { close } of clients.values()) close();
  return measured;
}

async function besideOthers(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const latchd = await openLatchd(options, { locks: 100 });
  const { locks } = latchd;
  const others: (Site | undefined)[] = [
    options.before === undefined ? undefined : await openLatchd(options, { name: 'latchd before', program: options.before, locks: 100 }),
    await openHello('node:http', locks),
    await openHello('Express', locks),
    await openBareBridge(locks),
    await openMosquittoBridge(options, locks),
    ...(await openNodeRed(options, locks)),
  ];
  const sites = [latchd, ...others.filter((site) => site !== undefined)];
  const measured = await measureSites(sites, options, rounds, ms);

  const echo = await startEcho();
  const echoes = await alternate([{ name: 'echo', measure: () => measureEcho(echo.at.echo, ms) }], rounds);
  await echo.stop();
  for (const { close } of sites) await close();
  return clientCounts.flatMap((count) =>
    doorFigures(`100 locks, ${count} clients`, measured.get(count) as Rounds<DoorResult>, count, echoes.get('echo')),
  );
}

/** Throughput first, then the latencies and what it costs. */
function doorFigures(title: string, rounds: Rounds<DoorResult>, count: number, echoes?: readonly number[]): Figure[] {
  const [, ours = []] = [...rounds][0] ?? [];
  const rest = [...rounds].slice(1);
  const others = (pick: (one: DoorResult) => number, goalOf: (name: string) => Goal | undefined = () => undefined): Other[] =>
    rest.map(([name, results]) => ({ name, values: results.map(pick), ...withGoal(goalOf(name)) }));
  const latencies = others(
    ({ p50 }) => p50,
    (name) => (count === 1 && name.startsWith('bare') ? { atMost: 1 } : undefined),
  );
  if (count === 1 && echoes !== undefined) {
    const hello = rounds.get('node:http hello world') ?? [];
    const sum = hello.map(({ p50 }, round) => p50 + (echoes[round] ?? median(echoes)));
    latencies.unshift({ name: 'floors: http hello + TCP echo', values: sum, goal: { atMost: 1.75 } });
  }
  const real = Math.min(...ours.map(({ realShare }) => realShare));
  const name = real > 0.99 ? title : `${title} (${Math.round(real * 100)} % real commands)`;
  return [
    figureOf(
      `${name}: unlocks a second`,
      '/s',
      ours.map((one) => one.perSecond),
      {
        others: others(
          (one) => one.perSecond,
          (other) => goals[other]?.[count],
        ),
      },
    ),
    figureOf(
      `${name}: p50`,
      'ms',
      ours.map(({ p50 }) => p50),
      { others: latencies },
    ),
    figureOf(
      `${name}: p99`,
      'ms',
      ours.map(({ p99 }) => p99),
      { others: others(({ p99 }) => p99) },
    ),
    figureOf(
      `${name}: CPU of one unlock`,
      'µs',
      ours.map((one) => one.cpuMicros),
      { others: others((one) => one.cpuMicros) },
    ),
  ];
}

function withGoal(goal: Goal | undefined): { goal?: Goal } {
  return goal === undefined ? {} : { goal };
}

/** Locks that also say their new state and send the event of each command, which is stored before it is acknowledged. */
async function wholeLocks(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 3, ms: 1_000 });
  const latchd = await openLatchd(options, { locks: 100, talkative: true });
  const bare = await openBareBridge(latchd.locks, true);
  const measured = await measureSites([latchd, bare], options, rounds, ms);
  await latchd.close();
  await bare.close();
  return doorFigures('100 locks with state and durable event, 100 clients', measured.get(100) as Rounds<DoorResult>, 100);
}

async function manyLocks(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 3, ms: 1_000 });
  const sites: Site[] = [];
  for (const locks of options.quick ? [100, 10] : [10_000, 1_000, 10])
    sites.push(await openLatchd(options, { name: `latchd with ${locks.toLocaleString('en')} locks`, locks }));
  const thousand = sites.at(-2) as Site;
  sites.push(await openBareBridge(thousand.locks));
  const measured = await measureSites(sites, options, rounds, ms);
  for (const { close } of sites) await close();
  const title = (sites[0] as Site).name;
  return clientCounts.flatMap((count) => doorFigures(`${title}, ${count} clients`, measured.get(count) as Rounds<DoorResult>, 0));
}
