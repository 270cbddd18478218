// What request headers say about the request as a whole: which encodings it takes, and which gateway it is for.
import { afterEach, expect, test } from '@jest/globals';
import request from 'supertest';
import { acceptsGzip } from '../../../src/http/pipeline/headers.ts';
import { createServerUnderTest, sampleToken, sampleView } from '../../support/fake-services.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function started(hosts: readonly string[] = []) {
  const under = createServerUnderTest(undefined, () => undefined, undefined, undefined, hosts);
  open.push(under.server);
  await under.server.start();
  return under;
}

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['deflate, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['*', true],
  ['*;q=0', false],
  ['br, *;q=0.1', true],
  ['gzip;q=0, *', false],
])('Accept-Encoding %p takes gzip: %p', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes);
});

test('a long list comes as gzip to a client that accepts it, and uncompressed to others; a short list is never compressed', async () => {
  const under = await started();
  let locks = 200;
  under.locks.list = () => ({ list: Array.from({ length: locks }, () => sampleView), pageNo: 1, pageSize: 1_000, pages: 1, total: locks });
  const ask = (encoding: string) =>
    request(under.origin())
      .get('/api/v1/lock/list?pageSize=1000')
      .set({ Authorization: `Bearer ${sampleToken}`, 'Accept-Encoding': encoding });
  const [zipped, plain] = [await ask('gzip'), await ask('identity')];
  expect([zipped.headers['content-encoding'], zipped.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
  expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
  expect(Number(zipped.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 5);
  expect(zipped.body).toEqual(plain.body);
  expect(zipped.body.list).toHaveLength(200);
  const together = await Promise.all(Array.from({ length: 5 }, () => ask('gzip')));
  for (const { body } of together) expect(body).toEqual(plain.body);
  locks = 10;
  expect((await ask('gzip')).headers['content-encoding']).toBeUndefined();
});

test.each([
  ['gateway.example.org', 200],
  ['GATEWAY.example.org.:8080', 200],
  ['localhost:8080', 200],
  ['192.0.2.7:8080', 200],
  ['[2001:db8::1]:8080', 200],
  ['rebound.example', 400],
  ['gateway.example.org.evil.example', 400],
  ['127.0.0.1.evil.example', 400],
])('where the names are configured, Host %s is answered %i, and /healthz by any name', async (host, status) => {
  const { origin } = await started(['gateway.example.org']);
  const answer = await request(origin()).get('/readyz').set('Host', host);
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body).toMatchObject({ code: 'invalid-parameter', errors: [{ parameter: 'Host' }] });
  expect((await request(origin()).get('/healthz').set('Host', host)).status).toBe(200);
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Protocol': 'mqtt' };
  const webSocket = request(origin())
    .get('/mqtt')
    .set({ ...upgrade, Host: host, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' });
  if (status === 400) expect((await webSocket).status).toBe(400);
});
