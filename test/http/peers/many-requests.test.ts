// Many requests at once, as a stranger can ask: how many connections the node that passes them on opens for them at a time.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { openForwardingNode } from '../../support/forwarding-node.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

/** A way to a port on which nothing comes through from the moment on at which it is shut. */
async function wayTo(port: number) {
  const way = { url: '', isShut: false, held: [] as (() => void)[], open };
  function open(): void {
    way.isShut = false;
    for (const through of way.held.splice(0)) through();
  }
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near.on('error', () => undefined));
    const through = () => void near.pipe(connect(port, '127.0.0.1').on('error', () => near.destroy())).pipe(near);
    if (way.isShut) way.held.push(through);
    else through();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  way.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return way;
}

test('handshakes with the leader are 16 at a time, and all are answered', async () => {
  const node = await openForwardingNode((_, answer) => void answer.end('there'), { commandTimeoutMs: 20_000 });
  closing.push(node.close);
  const far = Number(new URL(node.serving?.url ?? '').port);
  const way = await wayTo(far);
  node.serving = undefined;
  expect(node.forwarding.forwardsTo()).toBeNull();
  node.serving = { incarnation: 'one', name: 'box-1', url: way.url };
  while (node.forwarding.forwardsTo() === null) await new Promise((resolve) => setTimeout(resolve, 2));
  way.isShut = true;
  const reads = Array.from({ length: 60 }, () => node.ask({ effect: 'read' }));
  while (way.held.length < 16) await new Promise((resolve) => setTimeout(resolve, 2));
  const door = node.ask({ effect: 'door' });
  // Long enough for all of them to come.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(way.held.length).toBe(16);
  way.open();
  const heard = await Promise.all([...reads, door]);
  expect(new Set(heard.map(({ text }) => text))).toEqual(new Set(['there']));
}, 30_000);
