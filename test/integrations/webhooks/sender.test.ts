// The sender against receivers that misbehave, and names that are not what they were.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { WebhookId } from '../../../src/domain/webhooks/webhook.ts';
import type { WebhookPost } from '../../../src/domain/webhooks/webhook-ports.ts';
import type { Lookup } from '../../../src/integrations/checked-addresses.ts';
import { createNetworks } from '../../../src/integrations/networks.ts';
import { createWebhookSender } from '../../../src/integrations/webhooks/sender.ts';
import { createClock } from '../../../src/platform/clock.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Does with each connection what the test says; resolves with its port. */
async function listen(onConnection: (socket: Socket, request: Promise<string>) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onConnection(socket, new Promise((resolve) => socket.once('data', (text) => resolve(String(text)))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

function senderWith(options: { readonly lookup?: Lookup; readonly timeoutMs?: number; readonly networks?: readonly string[] } = {}) {
  const { networks = ['127.0.0.1'], timeoutMs = 20_000, ...rest } = options;
  const sender = createWebhookSender({
    ...{
      networks: createNetworks({ networks, setting: 'webhooks.networks', ownPorts: () => [] }),
      timeoutMs,
      clock: createClock(),
      version: '0',
      ...rest,
    },
  });
  ends.push(async () => sender.stop());
  return sender;
}

function post(url: string): WebhookPost {
  return { webhookId: 3 as WebhookId, url, secret: 's', deliveryId: 'record-1', type: 'record', attempt: 1, body: '{"a":"ä"}' };
}

const failed = (reason: string | RegExp, status: number | null = null) => ({
  delivered: false,
  status,
  reason: expect.stringMatching(reason),
  ms: expect.any(Number),
});

describe('a name', () => {
  test('is looked up once, and the connection goes to the address that was checked, whatever the name is the next moment', async () => {
    const requests: string[] = [];
    const port = await listen((socket, request) => {
      void request.then((text) => {
        requests.push(text);
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const answers = [[{ address: '127.0.0.1' }], [{ address: '169.254.169.254' }]];
    const asked: string[] = [];
    const sender = senderWith({
      async lookup(name) {
        asked.push(name);
        return answers[asked.length - 1] ?? [];
      },
    });
    const url = `http://doors.example.org:${port}/x?y=1`;
    expect(await sender.send(post(url))).toMatchObject({ delivered: true, status: 204 });
    expect(asked).toEqual(['doors.example.org']);
    expect(requests[0]).toMatch(/^POST \/x\?y=1 HTTP\/1\.1\r\n/);
    expect(requests[0]).toMatch(new RegExp(`\r\nhost: doors.example.org:${port}\r\n`, 'i'));
    expect(requests[0]).toMatch(/\r\ncontent-length: 10\r\n/i);
    expect(await sender.send(post(url))).toEqual(failed(/^not sent: 169\.254\.169\.254 is an address to which nothing is ever sent$/));
    expect(requests).toHaveLength(1);
  });

  test('with several addresses is sent to the first at which somebody is', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const addresses = ['127.0.0.99', '127.0.0.1'].map((address) => ({ address }));
    const sent = await senderWith({ lookup: async () => addresses }).send(post(`http://doors.example.org:${port}/`));
    expect(sent).toMatchObject({ delivered: true, status: 200 });
  });

  test('with one address that is not allowed is not used at all; nor is one without any, or one that nobody answers for', async () => {
    let connections = 0;
    const port = await listen(() => {
      connections += 1;
    });
    const addresses = ['127.0.0.1', '10.0.0.1'].map((address) => ({ address }));
    const url = `http://doors.example.org:${port}/`;
    expect(await senderWith({ lookup: async () => addresses }).send(post(url))).toEqual(failed(/^not sent: 10\.0\.0\.1 is in none/));
    expect(await senderWith({ lookup: async () => [] }).send(post(url))).toEqual(failed('not sent: doors.example.org has no address'));
    expect(await senderWith({ lookup: () => new Promise(() => undefined), timeoutMs: 400 }).send(post(url))).toEqual(
      failed('no answer within 400 ms'),
    );
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    expect(await senderWith({ lookup: () => Promise.reject(unknown) }).send(post(url))).toEqual(failed(/^no answer: ENOTFOUND$/));
    expect(connections).toBe(0);
  });
});

test('a connection is used again, also for another webhook; one that was closed meanwhile is no failure', async () => {
  let connections = 0;
  let requests = 0;
  const port = await listen((socket) => {
    connections += 1;
    socket.on('data', () => {
      requests += 1;
      // The third request meets an end that it could not foresee.
      if (requests === 3) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const sender = senderWith();
  const url = `http://127.0.0.1:${port}/`;
  expect(await sender.send(post(url))).toMatchObject({ delivered: true });
  expect(await sender.send(post(`${url}other`))).toMatchObject({ delivered: true });
  expect(connections).toBe(1);
  expect(await sender.send(post(url))).toMatchObject({ delivered: true });
  expect([connections, requests]).toEqual([2, 4]);
  sender.stop();
});

describe('a receiver', () => {
  test.each<[string, string, object]>([
    ['that ends the connection', '', failed(/^no answer: ECONNRESET$/)],
    ['that does not speak HTTP', 'SSH-2.0-x\r\n', failed(/^no answer: HPE_/)],
    ['with endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(5_000)}`, failed(/^no answer: HPE_HEADER_OVERFLOW$/)],
    ['that answers 1xx without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20_000), failed(/^more than 5 answers 1xx$/)],
    [
      'that has five hints before its answer',
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5)}HTTP/1.1 204 No Content\r\n\r\n`,
      { delivered: true, status: 204, reason: '', ms: expect.any(Number) },
    ],
    [
      'that redirects',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
      failed(/^answered 302: redirects/, 302),
    ],
    [
      'that switches to something else',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      failed(/^answered 101$/, 101),
    ],
    [
      'whose body breaks off',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx',
      { delivered: true, status: 200, reason: '', ms: expect.any(Number) },
    ],
    ['whose body is nonsense', 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\nzz', failed(/^answered 500$/, 500)],
  ])('%s', async (_what, answer, expected) => {
    const port = await listen((socket, request) => void request.then(() => socket.end(answer)));
    expect(await senderWith().send(post(`http://127.0.0.1:${port}/`))).toEqual(expected);
  });

  test('that takes it and says nothing, or drips, is given up in time; one that answered and then drips has answered', async () => {
    const silent = await listen(() => undefined);
    const dripping = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.once('close', () => clearInterval(drip));
    });
    const slow = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 50);
      socket.once('close', () => clearInterval(drip));
    });
    const send = (port: number) => senderWith({ timeoutMs: 400 }).send(post(`http://127.0.0.1:${port}/`));
    const tooLate = failed('no answer within 400 ms');
    expect(await Promise.all([silent, dripping, slow].map(send))).toEqual([tooLate, tooLate, expect.objectContaining({ delivered: true })]);
  });

  test('over https must prove who it is', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await senderWith().send(post(`https://127.0.0.1:${port}/`))).toEqual(failed(/^no answer: (EPROTO|ERR_SSL|ECONNRESET)/));
  });
});

test('stop ends what is under way', async () => {
  const port = await listen(() => undefined);
  const sender = senderWith({ timeoutMs: 60_000 });
  const sent = sender.send(post(`http://127.0.0.1:${port}/`));
  sender.stop();
  expect(await sent).toEqual(failed('the gateway stops'));
});
