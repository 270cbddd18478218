// What becomes of requests while one node hands over to another: they wait for the one that serves next, and none is begun twice or too late.
import { afterEach, describe, expect, test } from '@jest/globals';
import { notBegunHeader } from '../../../src/http/peers/peer-requests.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { type ForwardingNode, openForwardingNode } from '../../support/forwarding-node.ts';

const clock = createClock();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A node that may serve next, and sends on to one that does. */
async function handingOver(...[handle, how]: Parameters<typeof openForwardingNode>): Promise<ForwardingNode> {
  const node = await openForwardingNode(handle, { commandTimeoutMs: 5_000, ...how });
  closing.push(node.close);
  node.mayServe = true;
  await until(() => node.forwarding.forwardsTo() === 'box-1');
  return node;
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Long enough for a request to be where it waits. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

describe('while the node that serves hands over', () => {
  test('a request waits, and is handled by the node that is asked once that one serves', async () => {
    const node = await handingOver((_, answer) => void answer.end('there'));
    node.serving = undefined;
    const asked = node.ask();
    await pause();
    expect(node.handledHere).toEqual([]);
    node.leftMs = 1_000;
    expect(await asked).toMatchObject({ status: 200, text: 'here' });
    expect(node.came).toEqual([]);
  });

  test('a request that the other node refuses before it looks at it waits, and goes there with its whole body when that one takes it', async () => {
    const node = await handingOver((asked, answer) => void asked.pipe(answer));
    node.takes = false;
    const asked = node.ask({ body: 'hello' });
    await pause();
    expect(node.came).toEqual([]);
    node.takes = true;
    expect(await asked).toMatchObject({ status: 200, text: 'hello' });
    expect(node.came).toHaveLength(1);
  });

  test('a request to a node that takes no connection waits', async () => {
    const node = await handingOver((_, answer) => void answer.end('there'));
    node.serving = { incarnation: 'next', name: 'box-3', url: 'https://127.0.0.1:9' };
    const asked = node.ask();
    await pause();
    node.leftMs = 1_000;
    expect((await asked).text).toBe('here');
  });

  test('nothing is sent any more to a node that has said that it stops, and what is under way there ends', async () => {
    let finish = (): void => undefined;
    const node = await handingOver((_, answer) => {
      finish = () => void answer.end('done');
    });
    const underWay = node.ask();
    await until(() => node.came.length === 1);
    node.saysStop();
    await until(() => node.heardOfStop);
    const asked = node.ask();
    await pause();
    finish();
    expect((await underWay).text).toBe('done');
    node.leftMs = 1_000;
    expect((await asked).text).toBe('here');
    expect(node.came).toHaveLength(1);
  });

  test('a request that may have begun is not sent again, and does not wait', async () => {
    const node = await handingOver((asked) => {
      node.serving = undefined;
      asked.socket.destroy();
    });
    expect((await node.ask({ effect: 'door' })).text).toMatch(/^lock-timeout/);
    node.leftMs = 1_000;
    await pause();
    expect([node.came.length, node.handledHere.length]).toEqual([1, 0]);
  });
});

describe('a door that waits', () => {
  test('keeps the deadline of its arrival', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    node.serving = undefined;
    const asked = node.ask({ effect: 'door' });
    await pause();
    node.leftMs = 1_000;
    expect((await asked).text).toBe('here');
    const [handled] = node.handledHere;
    expect(handled?.expiresAt).toBeLessThanOrEqual((handled?.at ?? 0) + 5_010);
  });

  test('is refused at its deadline, and handled by nobody after it', async () => {
    const node = await handingOver((_, answer) => void answer.end(), { commandTimeoutMs: 300 });
    node.serving = undefined;
    const begun = clock.monotonic();
    expect((await node.ask({ effect: 'door' })).text).toMatch(/^storage-unavailable: .* nothing was done/);
    expect(clock.monotonic() - begun).toBeGreaterThan(200);
    node.leftMs = 1_000;
    await pause();
    expect([node.came, node.handledHere]).toEqual([[], []]);
  });

  test('is handled by nobody when its caller has left', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    node.serving = undefined;
    const leaving = new AbortController();
    const asked = node.ask({ effect: 'door', signal: leaving.signal }).catch(() => 'left');
    await pause();
    leaving.abort();
    expect(await asked).toBe('left');
    await until(() => node.outcomes.includes('left'));
    node.leftMs = 1_000;
    await pause();
    expect([node.came, node.handledHere]).toEqual([[], []]);
  });

  test('is handled by nobody when its deadline passed while this process stood still', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    node.serving = undefined;
    node.askedAt = clock.monotonic() - 5_000;
    node.leftMs = 1_000;
    expect((await node.ask({ effect: 'door' })).text).toMatch(/nothing was done/);
    expect(node.handledHere).toEqual([]);
  });
});

describe('nothing waits', () => {
  test('at a node that would not serve next', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    [node.serving, node.mayServe] = [undefined, false];
    expect(node.forwarding.isPossible()).toBe(false);
    expect((await node.ask()).text).toMatch(/nothing was done/);
  });

  test('any more when the node that is asked stops', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    node.serving = undefined;
    const asked = node.ask();
    await pause();
    node.forwarding.cut();
    expect((await asked).text).toMatch(/nothing was done/);
    expect((await node.ask()).text).toMatch(/nothing was done/);
  });

  test('for longer than a handover takes, and what comes later is refused at once', async () => {
    const node = await handingOver((_, answer) => void answer.end(), { commandTimeoutMs: 60_000 });
    node.serving = undefined;
    expect((await node.ask()).text).toMatch(/nothing was done/);
    expect(node.forwarding.isPossible()).toBe(false);
    const begun = clock.monotonic();
    expect((await node.ask()).text).toMatch(/nothing was done/);
    expect(clock.monotonic() - begun).toBeLessThan(2_000);
    expect(node.forwarding.isTaking()).toBe(false);
    // Until this node has the lease: then it serves soon, however long nobody did.
    node.hasLease = true;
    const asked = node.ask();
    await pause();
    node.leftMs = 1_000;
    expect((await asked).text).toBe('here');
  }, 30_000);

  test('for longer than a handover takes at a node that answers and begins nothing, which is asked ever less often', async () => {
    const node = await handingOver((_, answer) => void answer.writeHead(503, { [notBegunHeader]: '1' }).end());
    const begun = clock.monotonic();
    expect((await node.ask({ effect: 'read' })).text).toMatch(/nothing was done/);
    expect(clock.monotonic() - begun).toBeLessThan(9_000);
    expect(node.came.length).toBeLessThan(20);
  }, 30_000);

  test('beyond the room there is, of which a part is for doors', async () => {
    const node = await handingOver((_, answer) => void answer.end());
    node.serving = undefined;
    const body = 'x'.repeat(96 * 1024);
    const roomy = Math.floor((24 * 1024) / (16 + 96));
    const asked = Array.from({ length: roomy + 20 }, () => node.ask({ body }).catch(() => undefined));
    await until(() => node.outcomes.length === 20);
    const door = node.ask({ effect: 'door' });
    await pause();
    node.leftMs = 1_000;
    expect((await door).text).toBe('here');
    const heard = (await Promise.all(asked)).map((one) => one?.text);
    expect(heard.filter((text) => text === 'here')).toHaveLength(roomy);
    expect(node.outcomes).toEqual(Array(20).fill('unreachable'));
  }, 30_000);
});
