// Unlocks at two nodes: asked for at either of them, for locks at either of them.
import type { PostgresServer } from '../../support/postgres.ts';
import { type DoorClients, type DoorResult, type Doors, openDoorClients } from '../load/door-clients.ts';
import { connectSwarm } from '../load/swarm.ts';
import { build, openPair, type PairNode } from '../pair.ts';
import { cpuMs } from '../processes.ts';
import { alternate, figureOf, type Rounds } from '../rounds.ts';
import { effort, type Figure, type SectionOptions, type Unit } from '../section.ts';

/** Of each contender, who has doors of its own. */
const locksEach = 100;
const clientCounts = [1, 10, 100];
const plain = 'asked at the leader, locks there';
const ways = [
  { name: plain, asksLeader: true, locksAtLeader: true },
  { name: 'asked at the other node, locks at the leader', asksLeader: false, locksAtLeader: true },
  { name: 'asked at the leader, locks at the other node', asksLeader: true, locksAtLeader: false },
  { name: 'asked at the other node, locks there', asksLeader: false, locksAtLeader: false },
] as const;

/** The CPU of the other node for one unlock, too. */
type Unlocked = DoorResult & { readonly otherMicros: number };

export async function unlocksOfTwoNodes(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const pair = await openPair(await build(server, options, 'unlocks', ways.length * locksEach), options, 'unlocks');
  const nodeOf = (isLeader: boolean): PairNode => (isLeader ? pair.leader() : pair.other());
  const sites = await Promise.all(
    ways.map(async ({ name, asksLeader, locksAtLeader }, n) => {
      const locks = pair.locks.slice(n * locksEach, (n + 1) * locksEach);
      const swarm = await connectSwarm({ address: nodeOf(locksAtLeader).mqtt, locks });
      const doors: Doors = { http: nodeOf(asksLeader).http, pid: pair.leader().pid, token: pair.token, locks, swarm };
      return { name, swarm, clients: await openDoorClients(doors, Math.max(...clientCounts)) };
    }),
  );
  for (const { clients } of sites) await clients.measure(10, options.quick ? 200 : 2_000);
  const figures: Figure[] = [];
  for (const count of clientCounts) {
    options.say(`two-nodes: unlocks, ${count} ${count === 1 ? 'client' : 'clients'}`);
    const contenders = sites.map(({ name, clients }) => ({ name, measure: () => measure(clients, count, ms, pair.other().pid) }));
    figures.push(...figuresOf(count, await alternate(contenders, rounds)));
  }
  for (const { clients, swarm } of sites) {
    clients.close();
    swarm.close();
  }
  await pair.close();
  return figures;
}

async function measure(clients: DoorClients, count: number, ms: number, otherPid: number): Promise<Unlocked> {
  const before = cpuMs(otherPid);
  const result = await clients.measure(count, ms);
  return { ...result, otherMicros: ((cpuMs(otherPid) - before) / result.answers) * 1_000 };
}

function figuresOf(count: number, rounds: Rounds<Unlocked>): Figure[] {
  const of = (name: string, pick: (one: Unlocked) => number) => (rounds.get(name) ?? []).map(pick);
  return ways
    .filter(({ name }) => name !== plain)
    .flatMap(({ name, asksLeader }) => {
      const idle = of(name, ({ realShare }) => 1 - realShare).some((share) => share > 0.01);
      const title = `unlocks ${name}, ${count} ${count === 1 ? 'client' : 'clients'}${idle ? ' (not all of them real)' : ''}`;
      const figure = (what: string, unit: Unit, pick: (one: Unlocked) => number, atMost?: number): Figure =>
        figureOf(`${title}: ${what}`, unit, of(name, pick), {
          others: [{ name: plain, values: of(plain, pick) }],
          ...(atMost !== undefined && { goal: { atMost } }),
        });
      return [
        figure('p50', 'ms', ({ p50 }) => p50, count === 1 && !asksLeader ? 2.5 : undefined),
        figure('p99', 'ms', ({ p99 }) => p99),
        figure('a second', '/s', ({ perSecond }) => perSecond),
        figure('CPU of the leader for one', 'µs', (one) => one.cpuMicros),
        figureOf(
          `${title}: CPU of the other node for one`,
          'µs',
          of(name, (one) => one.otherMicros),
        ),
      ];
    });
}
