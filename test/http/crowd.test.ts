// Who may stay connected over HTTP (T12), with real connections.
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createCrowd } from '../../src/http/crowd.ts';
import { until } from '../support/site.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A server for three clients at most; `/wait` is never answered. */
async function served() {
  const closed: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    crowd.hasAsked(request.socket);
    if (request.url !== '/wait') response.end('answer');
  });
  const crowd = createCrowd(
    3,
    () => server.closeIdleConnections(),
    (address) => closed.push(address),
  );
  server.on('connection', crowd.enter);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.close();
    server.closeAllConnections();
  });

  async function client(asks?: string): Promise<{ readonly socket: Socket; readonly heard: () => string }> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    socket.on('error', () => undefined);
    const open = async () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    const before = await open();
    const closedBefore = closed.length;
    if (asks !== undefined) socket.write(`GET ${asks} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(async () => (await open()) > before || closed.length > closedBefore, 'the connection is there');
    if (asks === '/') await until(() => heard.includes('answer') || socket.closed, 'it is answered');
    return { socket, heard: () => heard };
  }
  return { client, closed };
}

test('one that has never asked anything gives way, the oldest first: whoever asks is served', async () => {
  const { client, closed } = await served();
  const silent = await client();
  const later = await client();
  const asking = await client('/wait');
  const newest = await client('/');
  expect(newest.heard()).toContain('answer');
  await until(() => silent.socket.closed, 'the oldest is closed');
  expect([later.socket.closed, asking.socket.closed, closed]).toEqual([false, false, ['127.0.0.1']]);
});

test('when all have asked, those that ask nothing now give way, and nobody who waits for an answer does', async () => {
  const { client } = await served();
  const waiting = [await client('/wait'), await client('/wait')];
  const idle = await client('/');
  const turnedAway = await client();
  await until(() => idle.socket.closed && turnedAway.socket.closed, 'the idle one and the newest are closed');
  expect((await client('/')).heard()).toContain('answer');
  expect(waiting.map(({ socket }) => socket.closed)).toEqual([false, false]);
});
