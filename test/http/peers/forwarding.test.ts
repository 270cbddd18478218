// What is sent on and what is not, and what a client hears when the node that serves does not answer.
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Peer } from '../../../src/http/peers/peer.ts';
import { relay } from '../../../src/http/peers/relay.ts';
import type { RequestEffect } from '../../../src/http/pipeline/effect.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { openForwardingNode } from '../../support/forwarding-node.ts';

const clock = createClock();
const commandTimeoutMs = 300;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function under(...given: Parameters<typeof openForwardingNode>) {
  const node = await openForwardingNode(...given);
  closing.push(node.close);
  return node;
}

describe('a request that is sent on', () => {
  test('arrives with its method, path, headers and body, and its answer comes back as it is', async () => {
    const node = await under((asked, answer) => {
      let text = '';
      asked.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      asked.on('end', () => {
        answer.writeHead(418, 'As it is', ['X-Twice', 'a', 'X-Twice', 'b', 'Content-Length', String(text.length)]);
        answer.end(text);
      });
    });
    const { status, text, headers } = await node.ask({
      method: 'PUT',
      body: 'hello',
      headers: { authorization: 'Bearer x', 'x-own': '1' },
    });
    expect([status, text, headers['x-twice']]).toEqual([418, 'hello', 'a, b']);
    const [came] = node.came;
    expect([came?.method, came?.url, came?.headers.authorization, came?.headers['x-own']]).toEqual([
      ...['PUT', '/there?change', 'Bearer x', '1'],
    ]);
    expect(node.outcomes).toEqual(['answered']);
  });

  test('says who asked as the connection says it, whatever the client says of that', async () => {
    const node = await under((_, answer) => void answer.end());
    const forged = {
      'latchd-address': '10.9.9.9',
      'latchd-scheme': 'https',
      'latchd-expires': '9',
      'latchd-hops': '7',
      'x-forwarded-for': '1.2.3.4',
    };
    await node.ask({ headers: forged });
    const { headers } = node.came[0] as IncomingMessage;
    expect([headers['latchd-address'], headers['latchd-scheme'], headers['latchd-hops'], headers['x-forwarded-for']]).toEqual([
      ...['127.0.0.1', 'http', '1', undefined],
    ]);
  });

  test('has a deadline on the clock of the other node that is never later than its own', async () => {
    const ahead = 7_000_000;
    const node = await under((_, answer) => void answer.end(), { counter: () => clock.monotonic() + ahead });
    for (let n = 0; n < 20; n++) {
      node.askedAt = clock.monotonic();
      await node.ask();
      const own = node.askedAt + ahead + commandTimeoutMs;
      const expires = Number(node.came.at(-1)?.headers['latchd-expires']);
      expect(expires).toBeLessThanOrEqual(own);
      // It is the same deadline, but for the way of an answer.
      expect(expires).toBeGreaterThan(own - 10_000);
    }
  });

  test('goes over a connection that this node ends when it rests: none is sent while the other one ends it', async () => {
    const ended: IncomingMessage[] = [];
    const node = await under((asked, answer) => {
      asked.socket.once('end', () => ended.push(asked));
      setTimeout(() => answer.end(), 50);
    });
    // Of three connections the questions for the counter need one.
    await Promise.all([node.ask(), node.ask(), node.ask()]);
    while (ended.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(node.outcomes).toEqual(['answered', 'answered', 'answered']);
  }, 30_000);

  test('is said to be of the account whose token the other node has found, and its client hears nothing of that', async () => {
    const node = await under((asked, answer) => {
      if (asked.headers.authorization !== undefined) answer.setHeader('latchd-account', '7');
      answer.writeHead(404, ['X-Request-Id', 'r1']).end();
    });
    const { headers } = await node.ask({ headers: { authorization: 'Bearer x' } });
    await node.ask({ headers: { 'latchd-account': '9' } });
    expect([node.said, headers['latchd-account'], headers['x-request-id']]).toEqual([
      [
        ['r1', 7],
        ['r1', undefined],
      ],
      undefined,
      'r1',
    ]);
  });

  test('is aborted when its client leaves', async () => {
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const node = await under((_, answer) => void answer.once('close', () => left?.()));
    const leaving = new AbortController();
    const asked = node.ask({ signal: leaving.signal }).catch(() => 'left');
    while (node.came.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    leaving.abort();
    await gone;
    expect(await asked).toBe('left');
    while (node.outcomes.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(node.outcomes).toEqual(['left']);
  });
});

describe('a request with headers of its connection', () => {
  test('goes on without those that Connection names, and without Trailer', async () => {
    const node = await under((_, answer) => void answer.end('there'));
    const headers = { connection: 'close, X-Mine', 'x-mine': '1', trailer: 'x', 'x-other': '2' };
    expect(await node.ask({ headers })).toMatchObject({ status: 200, text: 'there' });
    const { headers: came } = node.came[0] as IncomingMessage;
    expect([came['x-mine'], came.trailer, came['x-other']]).toEqual([undefined, undefined, '2']);
  });

  test('keeps its body, whatever Connection names', async () => {
    const node = await under((asked, answer) => void asked.pipe(answer));
    const headers = { connection: 'close, Content-Length, Host', 'content-length': '5' };
    expect(await node.ask({ headers, body: 'hello' })).toMatchObject({ status: 200, text: 'hello' });
  });
});

test('a request that cannot be written is refused as one, and is no bug', async () => {
  const broken = {
    ask: () => {
      throw new TypeError('a header is wrong');
    },
  } as unknown as Peer;
  const asked = {
    method: 'GET',
    url: '/',
    headers: {},
    rawHeaders: [],
    socket: { remoteAddress: '127.0.0.1' },
  } as unknown as IncomingMessage;
  const how = {
    clock,
    effect: 'read',
    expires: 1,
    beginsInMs: 1,
    endsInMs: undefined,
    isClosing: false,
    onConnection: () => undefined,
    onHead: () => undefined,
  } as const;
  await expect(relay(broken, asked, {} as ServerResponse, how)).rejects.toMatchObject({ code: 'invalid-parameter' });
});

test('an answer before the whole request has come frees the connection to the other node', async () => {
  const node = await under((_, answer) => {
    answer.writeHead(401, { 'Content-Length': '0' });
    answer.end();
  });
  let ended = false;
  const asking = request({ port: node.port(), method: 'POST', path: '/there?change', headers: { 'content-length': '100' }, agent: false });
  asking.on('error', () => undefined);
  asking.write('abc');
  const status = await new Promise((resolve) => asking.once('response', (answer) => resolve(answer.resume().statusCode)));
  node.came[0]?.socket.once('close', () => {
    ended = true;
  });
  expect(status).toBe(401);
  while (!ended) await new Promise((resolve) => setTimeout(resolve, 5));
  asking.destroy();
  expect(node.outcomes).toEqual(['answered']);
}, 8_000);

describe('an answer', () => {
  test('that is broken off ends the connection of the client', async () => {
    const node = await under((_, answer) => {
      answer.writeHead(200, { 'Content-Length': '100' }).write('some of it');
      setTimeout(() => answer.destroy(), 20);
    });
    await expect(node.ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
    while (node.outcomes.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(node.outcomes).toEqual(['left']);
  });

  test('without an end is cut while it flows, at both ends', async () => {
    let closed = 0;
    const node = await under((_, answer) => {
      answer.once('close', () => {
        closed += 1;
      });
      answer.useChunkedEncodingByDefault = false;
      answer.writeHead(200, { Connection: 'close' });
      const timer = setInterval(() => answer.write('x'.repeat(10_000)), 1);
      answer.once('close', () => clearInterval(timer));
    });
    const asked = Array.from({ length: 10 }, () => node.ask({ method: 'GET', effect: 'read' }).catch(() => 'cut'));
    while (node.said.length < asked.length) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    node.forwarding.cut();
    await Promise.all(asked);
    while (closed < asked.length) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(node.outcomes).toEqual(asked.map(() => 'left'));
  });
});

describe('a node that serves and does not answer', () => {
  const readOnly = 'storage-unavailable: The node that serves does not answer; nothing was done. Ask again, or ask another node';
  const changed = 'nobody knows whether it was done: look before you ask again';
  test.each<[string, RequestEffect, string, string]>([
    ['POST', 'change', `storage-unavailable: the node that serves did not answer; ${changed}`, 'unknown'],
    ['GET', 'change', `storage-unavailable: the node that serves did not answer; ${changed}`, 'unknown'],
    ['POST', 'door', 'lock-timeout: the node that serves did not answer: the outcome is unknown', 'unknown'],
    ['GET', 'door', 'lock-timeout: the node that serves did not answer: the outcome is unknown', 'unknown'],
    ['GET', 'read', readOnly, 'unreachable'],
    ['POST', 'read', readOnly, 'unreachable'],
  ])('a %s (%s) that ends without an answer is answered %s, and not sent again', async (method, effect, said, outcome) => {
    const node = await under((asked) => void asked.socket.destroy());
    expect((await node.ask({ method, effect })).text).toBe(said);
    expect(node.came).toHaveLength(1);
    expect(node.outcomes).toEqual([outcome]);
  });

  test('a door is answered soon after its deadline, though the other node says nothing', async () => {
    const node = await under(() => undefined);
    expect((await node.ask({ effect: 'door' })).text).toMatch(/^lock-timeout/);
    expect(node.came).toHaveLength(1);
  });

  test('what cannot be sent is refused, and nothing was done', async () => {
    const node = await under((_, answer) => void answer.end());
    node.serving = { incarnation: 'other', name: 'box-3', url: 'https://127.0.0.1:9' };
    expect((await node.ask({ effect: 'door' })).text).toMatch(/^storage-unavailable: .* nothing was done/);
    expect(node.outcomes).toEqual(['unreachable']);
  });

  test('is no longer there after one look that failed, and its clock is asked for anew', async () => {
    let isBroken = false;
    let failed = 0;
    const node = await under((_, answer) => void answer.end(), {
      counter: () => {
        if (isBroken) failed += 1;
        return isBroken ? Number.NaN : 1_000;
      },
    });
    while (node.forwarding.forwardsTo() === null) await new Promise((resolve) => setTimeout(resolve, 5));
    isBroken = true;
    while (node.forwarding.forwardsTo() !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    // Another look may have begun meanwhile.
    expect(failed).toBeLessThanOrEqual(2);
    expect((await node.ask()).text).toMatch(/nothing was done/);
    expect(node.came).toEqual([]);
  }, 30_000);

  test('whose lease is over takes nothing, so nothing is sent there, until it has a lease again', async () => {
    let hasLease = true;
    const node = await under((_, answer) => void answer.end(), { hasLease: () => hasLease });
    const is = async (name: string | null) => {
      while (node.forwarding.forwardsTo() !== name) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await is('box-1');
    hasLease = false;
    await is(null);
    expect((await node.ask()).text).toMatch(/nothing was done/);
    expect(node.came).toEqual([]);
    hasLease = true;
    await is('box-1');
    expect((await node.ask()).status).toBe(200);
  });

  test('another process at the address of the one that serves is sent nothing', async () => {
    const node = await under((_, answer) => void answer.end(), { incarnation: 'successor' });
    expect((await node.ask()).text).toMatch(/nothing was done/);
    expect(node.came).toEqual([]);
    expect(node.forwarding.forwardsTo()).toBeNull();
  });

  test('requests under way end when it serves no longer', async () => {
    const node = await under(() => undefined);
    const asked = node.ask();
    while (node.came.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    node.serving = undefined;
    expect(node.forwarding.isPossible()).toBe(false);
    expect((await asked).text).toMatch(/nobody knows/);
  });
});
