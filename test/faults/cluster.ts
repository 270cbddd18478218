// Two daemons on a primary with its synchronous standby, one of which serves, while doors are moved, cards are shown and a program listens: nodes
// and servers are killed, stand still, are cut off and have wrong clocks, in an order and at moments that a seed gives.
// `npm run test:cluster -- [--short] [--seed N] [--rounds N] [--minutes N] [--only WORDS]`; exits with 1 when anything that was acknowledged is lost or doubled, a door moves
// late, twice or against what its caller was told, a number is left out, or one takes over too soon or too late.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startPostgresPair } from '../support/postgres-pair.ts';
import { createRandom, type Random } from '../support/seeded-random.ts';
import { type Bustle, createBustle } from './bustle.ts';
import { checkArchive, measureSnapshots } from './cluster-archives.ts';
import { createDoors, type Doors } from './cluster-doors.ts';
import { type ClusterFault, clusterFaults, whenSettled } from './cluster-faults.ts';
import { createClusterHouse } from './cluster-house.ts';
import { type ClusterReader, createClusterReader } from './cluster-reader.ts';
import { type Stage, wait } from './cluster-stage.ts';
import { type ClusterRound, tableOf } from './cluster-table.ts';
import { until } from './house.ts';
import { gapsOf } from './record-numbers.ts';

const leaseSeconds = 5;
const locks = 8;
/** Everything that was acknowledged is looked for so often: it takes longer with each round. */
const verdictEvery = 10;

interface Given {
  readonly short: boolean;
  readonly seed: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly only: string;
}
interface Busy {
  readonly bustle: Bustle;
  readonly doors: Doors;
  readonly reader: ClusterReader;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Each fault so often, in an order of the seed's. */
function planOf({ short, rounds, only }: Given, random: Random): readonly ClusterFault[] {
  const some = clusterFaults
    .filter(({ isShort, name }) => (isShort || !short) && name.includes(only))
    .flatMap((fault) => Array<ClusterFault>(short ? 1 : rounds).fill(fault));
  return some
    .map((fault) => ({ fault, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ fault }) => fault);
}

/** What callers heard and should not have. */
function wronglyHeard(
  { mayHear }: ClusterFault,
  atDoors: ReadonlyMap<string, number>,
  elsewhere: ReadonlyMap<string, number>,
): readonly string[] {
  if (mayHear === undefined) return [];
  const heard = [...[...atDoors].filter(([answer]) => answer !== '200'), ...elsewhere];
  const wrong = heard.filter(([answer]) => !mayHear.some((code) => answer.startsWith(code)));
  return wrong.map(([answer, times]) => `callers had ${answer}, ${times} times`);
}

async function runRound(fault: ClusterFault, stage: Stage, { bustle, doors, reader }: Busy): Promise<ClusterRound> {
  const { house, pair, random } = stage;
  doors.take();
  house.takeFailures();
  bustle.go();
  doors.go();
  await wait(300 + random.below(1_200));
  const problems: string[] = [];
  try {
    problems.push(...(await fault.run(stage)));
    await whenSettled(stage);
    await wait(500);
  } finally {
    await Promise.all([bustle.pause(), doors.pause()]);
  }
  await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
  const atDoors = doors.take();
  problems.push(...atDoors.problems, ...wronglyHeard(fault, atDoors.answers, house.takeFailures()), ...(await gapsOf(pair.query)));
  const [head] = await pair.query("SELECT last::int AS last FROM latchd.head WHERE feed = 'record'");
  await until(() => reader.lastId() >= Number(head?.['last']), 'the reader has every record');
  problems.push(...reader.takeProblems());
  return { ...atDoors, fault: fault.name, problems };
}

async function runPlan(given: Given, stage: Stage, busy: Busy): Promise<readonly ClusterRound[]> {
  const plan = planOf(given, stage.random);
  const endAt = performance.now() + given.minutes * 60_000;
  const done: ClusterRound[] = [];
  for (const [at, fault] of plan.entries()) {
    if (performance.now() > endAt) break;
    let isBroken = false;
    const round = await runRound(fault, { ...stage, random: createRandom(given.seed + at + 1) }, busy).catch((error: unknown) => {
      isBroken = true;
      return { ...busy.doors.take(), fault: fault.name, problems: [String(error)] };
    });
    const verdict = at % verdictEvery === verdictEvery - 1 ? await busy.bustle.verdict(busy.bustle.acknowledged()) : undefined;
    done.push({ ...round, problems: [...round.problems, ...(verdict?.problems ?? [])] });
    const found = verdict && `; ${verdict.acknowledged} acknowledged so far, ${verdict.lost} lost, ${verdict.doubled} doubled`;
    const had = [...round.answers].map(([answer, times]) => `${answer} ${times}`).join(', ');
    say(`${at + 1} of ${plan.length}, ${fault.name}: ${Math.round(round.longestGapMs)} ms without an answer; ${had}${found ?? ''}`);
    for (const problem of done.at(-1)?.problems ?? []) say(`   ${problem}`);
    if (isBroken) break;
  }
  return done;
}

async function runAll(given: Given): Promise<boolean> {
  const work = mkdtempSync(join(tmpdir(), 'latchd-cluster-'));
  say(`seed ${given.seed}`);
  const random = createRandom(given.seed);
  const pair = await startPostgresPair();
  const house = await createClusterHouse({ ports: pair.ports, work, locks, leaseSeconds, seed: given.seed, query: pair.query });
  let reader: ClusterReader | undefined;
  try {
    await house.nodes[0].start();
    await house.serving();
    await house.nodes[1].start();
    await until(async () => (await house.nodes[1].role()) === 'following', 'the second node passes on what it is asked');
    await house.moveIn();
    reader = createClusterReader(house);
    const busy = { bustle: createBustle(house), doors: createDoors(house), reader };
    const stage = { house, pair, random, leaseMs: leaseSeconds * 1_000 };
    const done = await runPlan(given, stage, busy);
    say(`\n${tableOf(done)}\n`);
    const { acknowledged, lost, doubled, problems: missed } = await busy.bustle.verdict(busy.bustle.acknowledged());
    const listened = reader.counts();
    say(`a reader of live events had ${listened.records} records over ${listened.connections} connections`);
    const problems = [...done.flatMap((round) => round.problems), ...missed];
    problems.push(...(await checkArchive(stage, work, say)));
    if (!given.short && given.only === '') await measureSnapshots(stage, busy.bustle, work, say);
    say(`${done.length} rounds, ${acknowledged} acknowledged, ${lost} lost, ${doubled} doubled, ${problems.length} problems`);
    return problems.length === 0;
  } finally {
    await reader?.close();
    await house.close();
    await pair.remove();
    rmSync(work, { recursive: true, force: true });
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

await new Command('test:cluster')
  .option('--short', 'one round of some faults', false)
  .option('--seed <number>', 'gives the order and the moments of the faults', Number, randomInt(2 ** 31))
  .option('--rounds <number>', 'of each fault', Number, 10)
  .option('--minutes <number>', 'begins no round after so long', Number, Number.POSITIVE_INFINITY)
  .option('--only <words>', 'faults with these words in their name', '')
  .action(async (given: Given) => {
    process.exitCode = (await runAll(given)) ? 0 : 1;
  })
  .parseAsync();
