// An upgrade of two nodes: what callers notice of it who ask the node that is not being restarted.
import { type Stage, takenOver, wait } from './cluster-stage.ts';
import { until } from './house.ts';

/**
 * Both nodes are started anew in turn, as for an upgrade, the one that waits first. Programs ask the other one meanwhile, as a moving address
 * or a second address leads them.
 */
export async function upgrade(stage: Stage): Promise<readonly string[]> {
  const { house, random } = stage;
  const serving = await house.serving();
  const problems: string[] = [];
  for (const node of [house.other(serving), serving]) {
    const other = house.other(node);
    house.askAt(other);
    await until(async () => node.underWay() === 0, `nobody asks ${node.name}`);
    await wait(random.below(500));
    node.signal('SIGTERM');
    const code = await node.ended();
    if (code !== 0) problems.push(`SIGTERM ended ${node.name} with ${code}`);
    if (node === serving) problems.push(...(await takenOver(stage, node, 2_000)));
    await wait(random.below(500));
    await node.start();
    await until(() => node.forwards(), `${node.name} sends requests on`);
  }
  house.askAt(undefined);
  return problems;
}
