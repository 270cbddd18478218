// What a connection is doing, by which it is decided who gives way, with Node's own server and real sockets.
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { HttpConnection } from '../../../src/http/pipeline/connection.ts';
import { HeldBytes } from '../../../src/http/pipeline/held-bytes.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { until } from '../../support/site.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** One connection to a server that leaves each answer to the test. */
async function connected() {
  const bounds = { waiting: new HeldBytes(100_000), untaken: new HeldBytes(1_000_000) };
  const responses: ServerResponse[] = [];
  let connection: HttpConnection | undefined;
  const server = createServer((request, response) => {
    connection?.begin(request, response);
    response.on('close', () => connection?.end(response));
    responses.push(response);
  });
  server.on('connection', (socket) => {
    connection = new HttpConnection(socket, bounds);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  cleanUps.push(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  await until(() => connection !== undefined, 'the connection is there');
  const doing = () => connection?.doing();
  const becomes = (what: string) => until(() => doing() === what, `it is ${what}, and not ${doing()}`, 5_000);
  return { client, responses, doing, becomes };
}

test('a connection sends nothing, then sends a request, then waits for the answer, and rests when it has it', async () => {
  const { client, responses, doing, becomes } = await connected();
  expect(doing()).toBe('nothing');
  client.write('POST / HTTP/1.1\r\nHost: x\r\n');
  await becomes('sending');
  client.write('Content-Length: 4\r\n\r\n12');
  await until(() => responses.length === 1, 'the head is there');
  expect(doing()).toBe('sending');
  client.write('34');
  await becomes('asking');
  responses[0]?.end('answer');
  client.resume();
  await becomes('resting');
  client.write('GET / HT');
  await becomes('sending');
});

test('a connection is still sending when it was answered before its body arrived', async () => {
  const { client, responses, doing } = await connected();
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n1');
  await until(() => responses.length === 1, 'the head is there');
  const closed = new Promise((resolve) => responses[0]?.once('close', resolve));
  responses[0]?.end('refused');
  await closed;
  expect(doing()).toBe('sending');
});

test('a connection that rests keeps neither its last request nor the answer in memory', async () => {
  const { client, responses, becomes } = await connected();
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n1234');
  await becomes('asking');
  const kept = responses.splice(0).flatMap((response) => {
    response.end('answer');
    return [new WeakRef(response), new WeakRef(response.req)];
  });
  client.resume();
  await becomes('resting');
  await until(() => {
    collectGarbage();
    return kept.every((one) => one.deref() === undefined);
  }, 'both are gone');
  expect(kept).toHaveLength(2);
});

test.each([
  ['whole', (response: ServerResponse) => response.end(Buffer.alloc(16 << 20))],
  ['piece by piece', (response: ServerResponse) => Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(16_384))).pipe(response)],
])('it takes an answer that it does not read, given %s', async (_how, answer) => {
  const { client, responses, becomes } = await connected();
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await becomes('asking');
  answer(responses[0] as ServerResponse);
  await becomes('taking');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await becomes('taking');
});
