// What befalls the node that does not lead, while half of the locks are connected there: the leader serves on, and a change waits for it.
import type { ClusterNode } from './cluster-node.ts';
import { fewLong, type Stage, wait } from './cluster-stage.ts';

type Befall = (stage: Stage, node: ClusterNode) => Promise<void>;

const kill: Befall = async ({ random }, node) => {
  node.signal('SIGKILL');
  await node.ended();
  await wait(random.below(2_000));
  await node.start();
};

const freeze: Befall = async ({ random }, node) => {
  node.signal('SIGSTOP');
  await wait(fewLong(random, 100, 60_000));
  node.signal('SIGCONT');
};

const cutOff =
  (isLonely: boolean): Befall =>
  async ({ house, random, leaseMs }, node) => {
    const links = [...house.links(node), ...(isLonely ? house.nodes.map(({ wayHere }) => wayHere) : [])];
    const how = random.pick(['silent', 'one-way', 'refused'] as const);
    for (const link of links) link.cut(how);
    await wait(100 + random.below(leaseMs + 3_000));
    for (const link of links) link.mend();
  };

const beside = (befall: Befall) => async (stage: Stage) => {
  const { house } = stage;
  const leader = await house.serving();
  const log = leader.log();
  await befall(stage, house.other(leader));
  return house.led() === leader && leader.log() === log ? [] : [`${leader.name} did not serve on`];
};

export const faultsOfTheOtherNode = [
  { name: 'the other node is killed', isShort: true, run: beside(kill) },
  { name: 'the other node stands still', isShort: true, run: beside(freeze) },
  { name: 'the other node is cut off from the database', isShort: false, run: beside(cutOff(false)) },
  { name: 'the other node is cut off from the database and the leader', isShort: false, run: beside(cutOff(true)) },
];
