// Many locks connect at once, half of them to each of two nodes; and what a connection weighs that one node passes on to the other.
import type { PostgresServer } from '../../support/postgres.ts';
import type { Address } from '../daemon.ts';
import { type Crowd, openCrowd } from '../load/crowd.ts';
import { type Building, build, openPair, type Pair, type PairNode } from '../pair.ts';
import { cpuMs, residentKb, sleep } from '../processes.ts';
import { alternate, figureOf } from '../rounds.ts';
import type { Figure, SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';

const atOnce = 500;
/** Of a daemon when many have left, or have come. */
const [restMs, quietMs] = [2_000, 100];

interface Storm {
  readonly seconds: number;
  readonly leaderCpuMs: number;
  readonly otherCpuMs: number;
}

/** `BENCH_LOCKS=N`: so many in the largest storm, and as much more in the others. */
export function locksOf({ quick }: SectionOptions): { readonly all: number; readonly some: number; readonly tls: number } {
  const all = quick ? 400 : Number(process.env['BENCH_LOCKS'] ?? 20_000);
  return { all, some: all / 2, tls: all / 10 };
}
const named = (count: number): string => `${count.toLocaleString('en')} locks`;

export async function stormsOfTwoNodes(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const { all, some, tls } = locksOf(options);
  const pair = await openPair(await build(server, options, 'storms', all), options, 'storms');
  const figures = [
    ...(await storm(pair, all, false, ['half'], options)),
    ...(await storm(pair, some, false, ['half', 'leader', 'other'], options)),
    ...(await storm(pair, tls, true, ['half', 'leader', 'other'], options)),
  ];
  await pair.close();
  return figures;
}

const places = { half: 'half at each node', leader: 'all at the leader', other: 'all at the other node' } as const;
type Place = keyof typeof places;

async function storm(pair: Pair, count: number, tls: boolean, wanted: readonly Place[], options: SectionOptions): Promise<Figure[]> {
  options.say(`two-nodes: ${count} locks connect at once${tls ? ' over TLS' : ''}`);
  const locks = pair.locks.slice(0, count);
  const halves = [locks.slice(0, count / 2), locks.slice(count / 2)] as const;
  const nodesOf: Readonly<Record<Place, () => readonly [PairNode, PairNode]>> = {
    half: () => [pair.leader(), pair.other()],
    leader: () => [pair.leader(), pair.leader()],
    other: () => [pair.other(), pair.other()],
  };
  async function measure(place: Place): Promise<Storm> {
    const crowds: Crowd<{ readonly seconds: number }>[] = [];
    for (const [n, node] of nodesOf[place]().entries()) crowds.push(await crowdAt(pair, node, halves[n] ?? [], tls));
    await bothSettled(pair, options);
    const [leaderBefore, otherBefore] = [cpuMs(pair.leader().pid), cpuMs(pair.other().pid)];
    const results = await Promise.all(crowds.map((crowd) => crowd.go()));
    const [leaderCpuMs, otherCpuMs] = [cpuMs(pair.leader().pid) - leaderBefore, cpuMs(pair.other().pid) - otherBefore];
    for (const crowd of crowds) await crowd.stop();
    return { seconds: Math.max(...results.map(({ seconds }) => seconds)), leaderCpuMs, otherCpuMs };
  }
  const contenders = wanted.map((place) => ({ name: places[place], measure: () => measure(place) }));
  const measured = await alternate(contenders, options.quick ? 1 : 3);
  const of = (place: Place, pick: (one: Storm) => number) => (measured.get(places[place]) ?? []).map(pick);
  const title = `${named(count)} connect at once (${tls ? 'TLS' : 'TCP'}), ${places.half}`;
  const figure = (what: string, unit: 's' | 'µs', pick: (one: Storm) => number): Figure =>
    figureOf(`${title}: ${what}`, unit, of('half', pick), {
      others: wanted.filter((place) => place !== 'half').map((place) => ({ name: places[place], values: of(place, pick) })),
    });
  return [
    figure('all online', 's', ({ seconds }) => seconds),
    figure('CPU of the leader for one of them', 'µs', (one) => (one.leaderCpuMs / count) * 1_000),
    figure('CPU of the other node for one of them', 'µs', (one) => (one.otherCpuMs / count) * 1_000),
  ];
}

/** Each time on daemons that have just started. */
export async function memoryOfTwoNodes(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const { all, some, tls } = locksOf(options);
  const building = await build(server, options, 'memory', all);
  return [...(await weighTls(building, tls, options)), ...(await weigh(building, all, some, options))];
}

/** TLS ends at the node to which the locks connect. */
async function weighTls(building: Building, count: number, options: SectionOptions): Promise<Figure[]> {
  options.say(`two-nodes: memory of ${count} locks over TLS`);
  const pair = await openPair(building, options, 'memory-tls');
  await bothSettled(pair, options);
  const before = residentKb(pair.other().pid);
  const crowd = await crowdAt(pair, pair.other(), pair.locks.slice(0, count), true);
  await crowd.go();
  await bothSettled(pair, options);
  const each = (residentKb(pair.other().pid) - before) / count;
  await crowd.stop();
  await pair.close();
  return [figureOf(`two nodes, ${named(count)} over TLS at the other node: a passed-on connection there`, 'kB', [each])];
}

async function weigh(building: Building, all: number, some: number, options: SectionOptions): Promise<Figure[]> {
  options.say(`two-nodes: memory of ${all} locks`);
  const pair = await openPair(building, options, 'memory');
  const weights = async () => {
    await bothSettled(pair, options);
    return { leader: residentKb(pair.leader().pid), other: residentKb(pair.other().pid) };
  };
  const empty = await weights();
  const passedOn = await crowdAt(pair, pair.other(), pair.locks.slice(0, some), false);
  await passedOn.go();
  const withPassedOn = await weights();
  const direct = await crowdAt(pair, pair.leader(), pair.locks.slice(some, all), false);
  await direct.go();
  const withAll = await weights();
  await passedOn.stop();
  await direct.stop();
  await pair.close();
  const title = `two nodes, ${named(all)} over TCP, half at each`;
  const figure = (what: string, unit: 'kB' | 'MB', value: number): Figure => figureOf(`${title}: ${what}`, unit, [value]);
  return [
    figure('a passed-on connection at the other node', 'kB', (withPassedOn.other - empty.other) / some),
    figure('a passed-on connection at the leader', 'kB', (withPassedOn.leader - empty.leader) / some),
    figure('a connection of the leader’s own', 'kB', (withAll.leader - withPassedOn.leader) / (all - some)),
    figure('the leader', 'MB', withAll.leader / 1_024),
    figure('the other node', 'MB', withAll.other / 1_024),
    figure('the leader without locks', 'MB', empty.leader / 1_024),
    figure('the other node without locks', 'MB', empty.other / 1_024),
  ];
}

/** Locks that connect when they are told to. */
function crowdAt(pair: Pair, node: PairNode, locks: readonly BenchLock[], tls: boolean): Promise<Crowd<{ readonly seconds: number }>> {
  const to: { readonly address: Address; readonly ca?: string } = tls ? { address: node.mqtts, ca: pair.ca } : { address: node.mqtt };
  return openCrowd({ ...to, pid: pair.leader().pid, locks, epoch: 'storm', task: { kind: 'come-back', atOnce, retries: 20 } });
}

/** Resolves when both daemons have little to do. */
async function bothSettled(pair: Pair, { quick }: SectionOptions): Promise<void> {
  for (const { pid } of [pair.leader(), pair.other()])
    for (let before = Number.NEGATIVE_INFINITY; cpuMs(pid) - before > quietMs; await sleep(quick ? 200 : restMs)) before = cpuMs(pid);
}
