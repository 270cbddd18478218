// Tokens that are revoked just before a node dies: whoever opens doors then honours none of them.
import type { ClusterNode } from './cluster-node.ts';
import type { Stage } from './cluster-stage.ts';
import { until } from './house.ts';

const [atOnce, path] = [4, '/api/v1/gateway/tokens'];

/** Revokes some tokens, kills this node, which serves, with the last answer, and asks the other one by them until each has been refused. */
export async function killAfterRevoking({ house }: Stage, node: ClusterNode): Promise<readonly string[]> {
  const made = await Promise.all(Array.from({ length: atOnce }, () => house.ask('POST', path, {}, { username: 'admin', name: 'revoked' })));
  const revoked = await Promise.all(made.map((answer) => house.ask('DELETE', `${path}/${answer?.body['tokenId']}`)));
  node.signal('SIGKILL');
  if (revoked.some((answer) => answer?.status !== 200)) return ['a token was not revoked'];
  const { lockId = 0 } = house.fleet.lock(1);
  const problems = made.map(async (answer): Promise<readonly string[]> => {
    let status: number | undefined;
    await until(async () => {
      const headers = { authorization: `Bearer ${String(answer?.body['token'])}` };
      const asked = await fetch(`${house.other(node).url}/api/v1/lock/state?lockId=${lockId}`, { headers }).catch(() => undefined);
      status = asked?.status;
      return status === 401 || status === 200;
    }, 'the other node answers at doors');
    return status === 200 ? ['a token that was revoked was honoured'] : [];
  });
  return (await Promise.all(problems)).flat();
}
