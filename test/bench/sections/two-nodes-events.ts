// Events of 1,000 locks, which are connected to the node that leads, to the other one, or half of them to each; beside a daemon that is alone.
import type { PostgresServer } from '../../support/postgres.ts';
import { type Address, startDaemon } from '../daemon.ts';
import { type PourResult, pourEvents } from '../load/event-pour.ts';
import { type LoadLock, windowAtMost } from '../load/load-lock.ts';
import { connectSwarm } from '../load/swarm.ts';
import { build, openPair } from '../pair.ts';
import { cpuMs } from '../processes.ts';
import { alternate, figureOf, type Rounds } from '../rounds.ts';
import { effort, type Figure, type Goal, type SectionOptions, type Unit } from '../section.ts';
import type { BenchLock } from '../seed.ts';

const locksEach = 1_000;
const alone = 'one node alone';
const [atLeader, half, atOther] = ['all locks at the leader', 'half of the locks at each node', 'all locks at the other node'];
const enough: Goal = { atLeast: 20_000 };
const besideOne: Goal = { atLeast: 0.9 };

/** The CPU of the other node for one event, too. */
type Poured = PourResult & { readonly otherMicrosPerEvent: number };

interface Crew {
  readonly name: string;
  readonly locks: readonly LoadLock[];
  readonly pid: number;
  readonly otherPid?: number;
}

export async function eventsOfTwoNodes(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const building = await build(server, options, 'events', 3 * locksEach);
  const pair = await openPair(building, options, 'events');
  const lonely = await build(server, options, 'alone', locksEach);
  const daemon = await startDaemon({
    ...{ program: options.program, dataDir: `${options.folder}/alone` },
    flags: ['--store', lonely.store, '--discovery-enabled', 'false'],
  });
  const closes: (() => void)[] = [];
  async function connect(address: Address, locks: readonly BenchLock[]): Promise<readonly LoadLock[]> {
    const swarm = await connectSwarm({ address, locks });
    closes.push(swarm.close);
    return swarm.locks;
  }
  const [leader, other] = [pair.leader(), pair.other()];
  const some = (from: number, to: number) => pair.locks.slice(from * locksEach, to * locksEach);
  const pids = { pid: leader.pid, otherPid: other.pid };
  const crews: Crew[] = [
    { name: alone, locks: await connect(daemon.mqtt, lonely.locks), pid: daemon.pid },
    { name: atLeader, locks: await connect(leader.mqtt, some(0, 1)), ...pids },
    { name: half, locks: [...(await connect(leader.mqtt, some(1, 1.5))), ...(await connect(other.mqtt, some(1.5, 2)))], ...pids },
    { name: atOther, locks: await connect(other.mqtt, some(2, 3)), ...pids },
  ];
  const figures = [...(await manyAtOnce(crews, options)), ...(await oneAtATime(crews, options))];
  for (const close of closes) close();
  await daemon.stop();
  await pair.close();
  return figures;
}

async function manyAtOnce(crews: readonly Crew[], options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 7, ms: 2_000 });
  options.say('two-nodes: events, all locks at once');
  const contenders = crews.map((crew) => ({ name: crew.name, measure: () => pour(crew, windowAtMost, ms) }));
  // Warm-up.
  await alternate(contenders, 1);
  const measured = await alternate(contenders, rounds);
  return [atLeader, half, atOther].flatMap((name) => {
    const figure = figuresFor(measured, name, `events of 1,000 locks, singly, ${name}`);
    return [
      figure('a second', '/s', (one) => one.eventsPerSecond, { goal: enough, ratio: name === half ? besideOne : undefined }),
      figure('time to PUBACK, p50', 'ms', ({ ackP50 }) => ackP50),
      figure('time to PUBACK, p99', 'ms', ({ ackP99 }) => ackP99),
      figure('CPU of one event at the leader', 'µs', (one) => one.cpuMicrosPerEvent),
      ...(name === atLeader ? [] : [figure('CPU of one event at the other node', 'µs', (one) => one.otherMicrosPerEvent)]),
    ];
  });
}

/** One lock, one event under way: how long a door waits for its PUBACK. */
async function oneAtATime(crews: readonly Crew[], options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 500 });
  options.say('two-nodes: events, one lock, one event at a time');
  // Of the crew with both the last one is at the other node: it would be measured twice.
  const measured = await alternate(
    crews
      .filter(({ name }) => name !== half)
      .map((crew) => ({ name: crew.name, measure: () => pour({ ...crew, locks: crew.locks.slice(0, 1) }, 1, ms) })),
    rounds,
  );
  const figure = figuresFor(measured, atOther, 'events, one lock at the other node, one at a time');
  return [figure('time to PUBACK, p50', 'ms', ({ ackP50 }) => ackP50), figure('time to PUBACK, p99', 'ms', ({ ackP99 }) => ackP99)];
}

async function pour({ locks, pid, otherPid }: Crew, window: number, ms: number): Promise<Poured> {
  const otherMs = () => (otherPid === undefined ? 0 : cpuMs(otherPid));
  const before = otherMs();
  const poured = await pourEvents({ locks, perMessage: 1, window, ms, pid });
  return { ...poured, otherMicrosPerEvent: ((otherMs() - before) / poured.events) * 1_000 };
}

/** Figures of one contender, beside those that have all locks at one node. */
function figuresFor(measured: Rounds<Poured>, name: string, title: string) {
  const of = (whose: string, pick: (one: Poured) => number): readonly number[] => (measured.get(whose) ?? []).map(pick);
  return (
    what: string,
    unit: Unit,
    pick: (one: Poured) => number,
    { goal, ratio }: { readonly goal?: Goal; readonly ratio?: Goal | undefined } = {},
  ): Figure =>
    figureOf(`${title}: ${what}`, unit, of(name, pick), {
      ...(goal && { goal }),
      others: [alone, atLeader]
        .filter((other) => other !== name && !what.includes('other node'))
        .map((other) => ({ name: other, values: of(other, pick), ...(ratio && other === alone && { goal: ratio }) })),
    });
}
