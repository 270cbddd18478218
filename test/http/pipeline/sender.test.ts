// Answers that are made while they are sent, on the wire of a real server.
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { endlessLease, type Lease } from '../../../src/domain/lease.ts';
import { createSender } from '../../../src/http/pipeline/sender.ts';
import { createTickBatcher } from '../../../src/platform/tick-batcher.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

function fail(): string {
  throw new Error('no');
}

/** Answers every request with these pieces; resolves with how sending them ends, and where to ask. */
async function serving(pieces: () => AsyncIterable<string | Buffer>, lease: Lease = endlessLease) {
  const sender = createSender({ tickBatcher: createTickBatcher(), lease, closing: () => false, onAnswered: () => undefined });
  let tell: (ended: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  server = createServer((request, response) => {
    sender
      .sendPieces(
        { requestId: 'r1', request, response, needsLease: true },
        { contentType: 'text/csv', pieces: pieces(), headers: ['X-Own', '1'] },
      )
      .then(() => tell('sent'), tell);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ended };
}

describe('an answer in pieces', () => {
  test('is sent whole, with its head, and its end is the end of the answer', async () => {
    const { url, ended } = await serving(async function* () {
      for (let n = 0; n < 1_000; n++) yield n % 2 === 0 ? `line ${n}\n` : Buffer.from(`line ${n}\n`);
    });
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-own'), answer.headers.get('cache-control')]).toEqual([
      ...[200, 'text/csv', '1', 'no-store'],
    ]);
    expect(await answer.text()).toBe(Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`).join(''));
    expect(await ended).toBe('sent');
  });

  test('without any piece is an empty answer', async () => {
    const { url } = await serving(() => Readable.from([]));
    expect(await (await fetch(url)).text()).toBe('');
  });

  test('is not begun for HEAD', async () => {
    let isBegun = false;
    const { url } = await serving(async function* () {
      isBegun = true;
      yield 'some';
    });
    const answer = await fetch(url, { method: 'HEAD' });
    expect([answer.status, await answer.text(), isBegun]).toEqual([200, '', false]);
  });

  test('that fails before its first piece sends nothing, and says why', async () => {
    const { url, ended } = await serving(() => Readable.from([1]).map((): string => fail()));
    let isAnswered = false;
    get(url, () => (isAnswered = true)).on('error', () => undefined);
    expect(await ended).toEqual(new Error('no'));
    expect(isAnswered).toBe(false);
  });

  test('is not begun when the lease ended while its first piece was made', async () => {
    let left = 1;
    const { url } = await serving(
      async function* () {
        left = 0;
        yield 'some';
      },
      { leftMs: () => left },
    );
    await expect(fetch(url)).rejects.toThrow();
  });

  test('that fails later is cut off, so that nobody takes it for whole', async () => {
    const { url, ended } = await serving(async function* () {
      yield 'half';
      yield fail();
    });
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    expect(await ended).toEqual(new Error('no'));
  });

  test('ends when its reader leaves, and is not made any further than it reads', async () => {
    let made = 0;
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const piece = Buffer.alloc(64 * 1024);
    const { url, ended } = await serving(async function* () {
      try {
        for (; made < 1_000_000; made++) yield piece;
      } finally {
        close();
      }
    });
    const asked = get(url);
    const [answer] = await once(asked, 'response');
    answer.destroy();
    await closed;
    expect(await ended).toBe('sent');
    expect(made).toBeLessThan(1_000_000);
  });

  test('ends, too, when its reader leaves before the first piece is there', async () => {
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let isClosed = false;
    const { url, ended } = await serving(async function* () {
      try {
        begin();
        await given;
        yield 'some';
        yield 'more';
      } finally {
        isClosed = true;
      }
    });
    const gone = once(server as Server, 'request').then(([, response]) => once(response, 'close'));
    const asked = get(url).on('error', () => undefined);
    await begun;
    asked.destroy();
    await gone;
    give();
    expect([await ended, isClosed]).toEqual(['sent', true]);
  });
});
