// The node that leads ends, with 10,000 locks connected, half of them to each node: when they are all back at the other one.
import type { PostgresServer } from '../../support/postgres.ts';
import { openCrowd } from '../load/crowd.ts';
import type { Returns } from '../load/fleet.ts';
import { build, openPair, type PairNode } from '../pair.ts';
import { sleep } from '../processes.ts';
import { alternate, figureOf } from '../rounds.ts';
import type { Figure, SectionOptions } from '../section.ts';
import { locksOf } from './two-nodes-storms.ts';

/** How it ends, and how long the locks are watched at least: after a `kill` longer than the lease, whose end might send them away once more. */
const ends = [
  { name: 'SIGTERM', signal: 'SIGTERM', watchMs: 10_000 },
  { name: 'kill -9', signal: 'SIGKILL', watchMs: 40_000 },
] as const;
/** It follows all changes by then. */
const settleMs = 3_000;
const half = 'locks at the leader';
const passedOn = 'locks at the other node';

interface Ended {
  /** Of the half at the leader, and of the half at the other node. */
  readonly returns: readonly [Returns, Returns];
  /** Until the other one had the lease. */
  readonly leaseMs: number;
}

export async function endsOfTheLeader(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const count = locksOf(options).some;
  const pair = await openPair(await build(server, options, 'ends', count), options, 'ends');
  let round = 0;
  async function measure({ name, signal, watchMs }: (typeof ends)[number]): Promise<Ended> {
    options.say(`two-nodes: ${name}, with ${count} locks`);
    await sleep(options.quick ? 500 : settleMs);
    const [leader, other] = [pair.leader(), pair.other()];
    const locks = [pair.locks.slice(0, count / 2), pair.locks.slice(count / 2)];
    const fleet = (at: PairNode, next: PairNode, n: number) => {
      const task = { kind: 'stay', otherAddress: next.mqtt, ms: watchMs } as const;
      return openCrowd<Returns>({ address: at.mqtt, locks: locks[n] ?? [], epoch: `end${round}`, pid: leader.pid, task });
    };
    round += 1;
    const crowds = [await fleet(leader, other, 0), await fleet(other, leader, 1)] as const;
    await sleep(options.quick ? 500 : settleMs);
    const results = crowds.map((crowd) => crowd.go());
    const endedOn = Date.now();
    const stopped = leader.stop(signal);
    const [first, second] = await Promise.all(results);
    await stopped;
    const leaseMs = (await other.dateOf('lease-held')) - endedOn;
    for (const crowd of crowds) await crowd.stop();
    if (first === undefined || second === undefined) throw new Error('no result');
    for (const { online } of [first, second])
      if (online !== count / 2) throw new Error(`${online} of ${count / 2} locks are online after ${name}`);
    await pair.startEnded();
    return { returns: [first, second], leaseMs };
  }
  const measured = await alternate(
    ends.map((end) => ({ name: end.name, measure: () => measure(end) })),
    options.quick ? 1 : 3,
  );
  await pair.close();
  return ends.flatMap(({ name }) => figuresOf(`${count.toLocaleString('en')} locks after ${name} to the leader`, measured.get(name) ?? []));
}

function figuresOf(title: string, rounds: readonly Ended[]): Figure[] {
  const latest = (pick: (one: Returns) => number) => rounds.map(({ returns }) => Math.max(...returns.map(pick)) / 1_000);
  const each = (at: 0 | 1, pick: (one: Returns) => number) => rounds.map(({ returns }) => pick(returns[at]) / 1_000);
  const halves = (pick: (one: Returns) => number) => ({
    others: [
      { name: half, values: each(0, pick) },
      { name: passedOn, values: each(1, pick) },
    ],
  });
  return [
    figureOf(
      `${title}: half of them back`,
      's',
      latest(({ halfMs }) => halfMs),
      halves(({ halfMs }) => halfMs),
    ),
    figureOf(
      `${title}: all back`,
      's',
      latest(({ allMs }) => allMs),
      halves(({ allMs }) => allMs),
    ),
    figureOf(
      `${title}: the last login`,
      's',
      latest(({ lastMs }) => lastMs),
    ),
    figureOf(
      `${title}: logins of one of them`,
      '',
      rounds.map(({ returns: [one, two] }) => (one.logins + two.logins) / (one.online + two.online)),
    ),
    figureOf(
      `${title}: the other node has the lease`,
      's',
      rounds.map(({ leaseMs }) => leaseMs / 1_000),
    ),
  ];
}
