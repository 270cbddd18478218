// What is done to two nodes and the two servers of their database while the doors are busy. Each fault leaves the house as it found it: one node
// leads, the other one passes on to it what it is asked, and every commit is on both servers.
import { cuts } from '../support/cuttable-link.ts';
import { fakedClock } from '../support/fake-time.ts';
import type { ClusterNode } from './cluster-node.ts';
import { faultsOfTheOtherNode } from './cluster-other-node.ts';
import { killAfterRevoking } from './cluster-revocations.ts';
import { fewLong, type Stage, slackMs, takenOver, wait } from './cluster-stage.ts';
import { upgrade } from './cluster-upgrade.ts';
import { until } from './house.ts';

export interface ClusterFault {
  readonly name: string;
  /** Which codes of 500 and above callers may hear, and at doors of all but 200; undefined: whatever comes. */
  readonly mayHear?: readonly string[];
  /** Whether it is done for every change, too. */
  readonly isShort: boolean;
  /** Resolves with what was not as it must be. */
  run(stage: Stage): Promise<readonly string[]>;
}

const afterDeath = ({ leaseMs }: Stage): number => leaseMs + 5_000;

async function stop(stage: Stage): Promise<readonly string[]> {
  const node = await stage.house.serving();
  node.signal('SIGTERM');
  const code = await node.ended();
  const late = await takenOver(stage, node, 2_000);
  await node.start();
  return code === 0 ? late : [...late, `SIGTERM ended ${node.name} with ${code}`];
}

async function kill(stage: Stage): Promise<readonly string[]> {
  const node = await stage.house.serving();
  const honoured = killAfterRevoking(stage, node);
  const late = await takenOver(stage, node, afterDeath(stage));
  await node.ended();
  await node.start();
  return [...(await honoured), ...late];
}

/**
 * With requests under way at the frozen node, and more that come while it is frozen. What thaws within its lease may answer what it was asked, and
 * ends then: a change has waited for it.
 */
const freeze =
  (isLong: boolean) =>
  async (stage: Stage): Promise<readonly string[]> => {
    const { house, random } = stage;
    const node = await house.serving();
    const lockIds = house.fleet.locks.map(({ lockId = 0 }) => lockId);
    const asked: Promise<void>[] = [];
    const askAll = (): void => {
      for (const lockId of lockIds) asked.push(house.askNode(node, 'GET', '/api/v1/lock/detail', { lockId }));
    };
    askAll();
    node.signal('SIGSTOP');
    const frozenAt = performance.now();
    askAll();
    const late = await takenOver(stage, node, afterDeath(stage));
    await house.serving();
    if (isLong) await wait(Math.max(0, frozenAt + stage.leaseMs - performance.now()));
    await wait(isLong ? fewLong(random, 1, 55_000) : random.below(300));
    const thawedAt = performance.now();
    const saidBefore = node.saidToLeft();
    node.signal('SIGCONT');
    const ended = await replaced(stage, node, { since: thawedAt, ...(isLong && { grantsNothingAskedSince: frozenAt }) });
    await Promise.all(asked);
    const said = node.saidToLeft() - saidBefore;
    await node.start();
    return [...late, ...ended, ...(isLong && said > 0 ? [`the thawed node said ${said} bytes to locks`] : [])];
  };

/** What a node must do that was replaced, once it can hear of it: end; and once its lease is over, answer nothing. */
async function replaced(
  { house }: Stage,
  node: ClusterNode,
  { since, grantsNothingAskedSince = Number.POSITIVE_INFINITY }: { readonly since: number; readonly grantsNothingAskedSince?: number },
): Promise<readonly string[]> {
  const code = await node.ended();
  const problems: string[] = [];
  const endedMs = Math.round(performance.now() - since);
  if (code !== 1) problems.push(`the node that was replaced ended with ${code}`);
  if (endedMs > 5_000 + slackMs) problems.push(`the node that was replaced ended after ${endedMs} ms`);
  // What was asked before may have been decided before, and its answer was on its way when the node froze.
  const granted = node.grantedOfThoseAskedSince(grantsNothingAskedSince);
  if (granted > 0) problems.push(`the node that was replaced answered ${granted} requests with 2xx`);
  const names = node.log().some((line) => JSON.stringify(line).includes(`${house.other(node).name} has taken over`));
  if (!names) problems.push('no log line of the node that was replaced names who took over');
  return problems;
}

/** The other one still hears of it from node to node: the same process serves on. */
async function partFromDatabaseBriefly(stage: Stage): Promise<readonly string[]> {
  const { house, random } = stage;
  const node = await house.serving();
  const log = node.log();
  const mend = cutting(stage)(node);
  await wait(100 + random.below(2_400));
  mend();
  await until(async () => (await node.role()) === 'serving', `${node.name} serves on`);
  return node.log() === log && house.led() === node ? [] : [`${node.name} did not serve on`];
}

/** Another one may take its place, or not: then it ends. */
const briefly =
  (mostMs: number, beginOf: (stage: Stage) => (node: ClusterNode) => () => void) =>
  async (stage: Stage): Promise<readonly string[]> => {
    const { house, random } = stage;
    const node = await house.serving();
    const end = beginOf(stage)(node);
    await wait(100 + random.below(mostMs - 100));
    end();
    await wait(3_000);
    const code = node.isOver() ? await node.ended() : undefined;
    return code === undefined || code === 1 ? [] : [`it ended with ${code}`];
  };

const stopping = () => (node: ClusterNode) => {
  node.signal('SIGSTOP');
  return () => node.signal('SIGCONT');
};

/** From the database; `isLonely`: from the other node as well. */
function cutting({ house, random }: Stage, isLonely = false): (node: ClusterNode) => () => void {
  const how = random.pick(cuts);
  return (node) => {
    const links = [...house.links(node), ...(isLonely ? house.nodes.map(({ wayHere }) => wayHere) : [])];
    for (const link of links) link.cut(how);
    return () => {
      for (const link of links) link.mend();
    };
  };
}

const part =
  (isLonely: boolean) =>
  async (stage: Stage): Promise<readonly string[]> => {
    const { house, random, leaseMs } = stage;
    const node = await house.serving();
    const cutAt = performance.now();
    const mend = cutting(stage, isLonely)(node);
    const late = await takenOver(stage, node, afterDeath(stage));
    await wait(Math.max(0, cutAt + leaseMs - performance.now()));
    const role = await node.role();
    await wait(random.below(2_000));
    const mendedAt = performance.now();
    mend();
    const ended = await replaced(stage, node, { since: mendedAt, grantsNothingAskedSince: mendedAt });
    await node.start();
    return [...late, ...ended, ...(role === 'lost' ? [] : [`the node that was cut off says that it is ${role}`])];
  };

const crash = async ({ pair, random }: Stage): Promise<readonly string[]> => {
  await pair.killPrimary();
  await wait(random.below(1_000));
  await pair.restartPrimary();
  return [];
};

/** What finds out that the primary is dead takes its time, too. */
async function changePrimary({ pair, random }: Stage, environment?: Readonly<Record<string, string>>): Promise<void> {
  await pair.killPrimary();
  await wait(random.below(1_500));
  await pair.promote();
  await wait(random.below(1_000));
  await pair.rebuild(environment);
}

async function failOver(stage: Stage): Promise<readonly string[]> {
  await changePrimary(stage);
  return [];
}

/**
 * One node leads, and the other one passes on what it is asked. One that was replaced, while the database was away for longer than its lease, has ended: it is
 * started again, as its unit does.
 */
export async function whenSettled({ house }: Stage): Promise<void> {
  await until(async () => {
    const now = await house.serving();
    const next = house.other(now);
    if (next.isOver()) await next.start();
    return (await next.role()) === 'following' && (await now.role()) === 'serving';
  }, 'one node leads and the other one passes on what it is asked');
}

async function killBoth(stage: Stage): Promise<readonly string[]> {
  const node = await stage.house.serving();
  node.signal('SIGKILL');
  await changePrimary(stage);
  await until(async () => (await stage.house.other(node).role()) === 'serving', 'the other node takes over');
  await node.ended();
  await node.start();
  return [];
}

/** Whatever the primary shows then that its standby does not have must be acknowledged to nobody. */
async function crashAlone(stage: Stage): Promise<readonly string[]> {
  const { pair, random } = stage;
  pair.cutStandby();
  await wait(300 + random.below(1_000));
  await pair.killPrimary();
  await pair.restartPrimary();
  await wait(1_500 + random.below(1_500));
  await pair.killPrimary();
  await pair.promote();
  pair.mendStandby();
  await pair.rebuild();
  return [];
}

async function nodeWithWrongClock(stage: Stage): Promise<readonly string[]> {
  const { house, random } = stage;
  const right = await house.serving();
  const wrong = house.other(right);
  wrong.signal('SIGTERM');
  await wrong.ended();
  await wrong.start(fakedClock(random));
  right.signal('SIGKILL');
  const late = await takenOver(stage, right, afterDeath(stage));
  await right.ended();
  await right.start();
  await wait(2_000);
  return [...late, ...(await stop(stage))];
}

async function databaseWithWrongClock(stage: Stage): Promise<readonly string[]> {
  await changePrimary(stage, fakedClock(stage.random));
  await changePrimary(stage);
  await wait(2_000);
  await changePrimary(stage);
  return [];
}

export const clusterFaults: readonly ClusterFault[] = [
  ...faultsOfTheOtherNode,
  { name: 'the node is stopped', isShort: true, run: stop },
  { name: 'both nodes are upgraded in turn', isShort: true, run: upgrade, mayHear: ['lock-timeout', 'lock-offline', 'its time was over'] },
  { name: 'the node is killed', isShort: true, run: kill },
  { name: 'the node stands still for longer than its lease', isShort: true, run: freeze(true) },
  { name: 'the node stands still until another one serves, and thaws at once', isShort: true, run: freeze(false) },
  { name: 'the node stands still for 0.1 to 2.5 s', isShort: false, run: briefly(2_500, stopping) },
  { name: 'the node is cut off from the database for longer than its lease', isShort: true, run: part(false) },
  { name: 'the node is cut off from the database and the other one for longer than its lease', isShort: true, run: part(true) },
  {
    name: 'the node is cut off from the database and the other one for 0.1 to 4 s',
    isShort: false,
    run: briefly(4_000, (stage) => cutting(stage, true)),
  },
  { name: 'the node is cut off from the database for 0.1 to 2.5 s', isShort: false, run: partFromDatabaseBriefly },
  { name: 'the primary is killed, and its standby promoted', isShort: true, run: failOver },
  { name: 'the primary is killed, and started again', isShort: false, run: crash },
  { name: 'the primary loses its standby, crashes, starts and dies', isShort: true, run: crashAlone },
  { name: 'node and primary are killed at once', isShort: false, run: killBoth },
  { name: 'a node with a wrong clock takes over', isShort: false, run: nodeWithWrongClock },
  { name: 'a primary with a wrong clock takes over', isShort: false, run: databaseWithWrongClock },
];
