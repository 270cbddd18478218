// Who asks, behind a reverse proxy or not (HTTP API 2.3).
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { createNetworkFilter } from '../../../src/broker/networks.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { clientOf, noteForwarded } from '../../../src/http/pipeline/client.ts';
import { createServerUnderTest } from '../../support/fake-services.ts';

const isProxy = createNetworkFilter(['127.0.0.1', '10.0.0.0/24', 'fd00::/64']);

interface Asked {
  readonly from: string;
  readonly for?: string;
  readonly scheme?: string;
  readonly encrypted?: boolean;
}

function client({ from, for: said, scheme, encrypted = false }: Asked) {
  const asked = {
    socket: { remoteAddress: from, encrypted },
    headers: { ...(said !== undefined && { 'x-forwarded-for': said }), ...(scheme !== undefined && { 'x-forwarded-proto': scheme }) },
  } as unknown as IncomingMessage;
  noteForwarded(asked, isProxy);
  return clientOf(asked);
}

describe('The address of a client', () => {
  test.each<[string, Asked, string]>([
    ['that of its connection', { from: '192.168.1.7' }, '192.168.1.7'],
    ['what a trusted proxy saw', { from: '127.0.0.1', for: '192.168.1.7' }, '192.168.1.7'],
    ['the same on a socket for both families', { from: '::ffff:127.0.0.1', for: '::ffff:192.168.1.7' }, '192.168.1.7'],
    ['that of the proxy, which asks for itself', { from: '127.0.0.1' }, '127.0.0.1'],
    ['what the last trusted proxy of several saw', { from: '127.0.0.1', for: '203.0.113.9, 10.0.0.3, fd00::1' }, '203.0.113.9'],
    ['the first of them when all are trusted', { from: '127.0.0.1', for: '10.0.0.3, 10.0.0.4' }, '10.0.0.3'],
    ['that of its connection, whatever it says, when no proxy is there', { from: '192.168.1.7', for: '10.0.0.3' }, '192.168.1.7'],
    ['that of its connection for a neighbour of the proxies', { from: '10.0.1.1', for: '203.0.113.9' }, '10.0.1.1'],
    ['nothing that a client says before the proxy', { from: '127.0.0.1', for: '1.1.1.1, 127.0.0.1, 192.168.1.7' }, '192.168.1.7'],
    ['nothing that stands before a text that is no address', { from: '127.0.0.1', for: '1.1.1.1, unknown' }, '127.0.0.1'],
    ['nothing that stands before an empty text', { from: '127.0.0.1', for: '1.1.1.1,, 10.0.0.3' }, '10.0.0.3'],
    ['no address with a port', { from: '127.0.0.1', for: '192.168.1.7:4711' }, '127.0.0.1'],
  ])('is %s', (_what, asked, address) => {
    expect(client(asked).address).toBe(address);
  });

  test('of an IPv6 client is one of its /64 for the limits', () => {
    expect(client({ from: '10.0.0.1', for: '2001:db8::1:2' })).toMatchObject({ address: '2001:db8::1:2', network: '2001:db8:0:0::/64' });
  });
});

test.each<[boolean, string, Asked]>([
  [true, 'its own connection is encrypted', { from: '192.168.1.7', encrypted: true }],
  [false, 'it is not', { from: '192.168.1.7' }],
  [true, 'a trusted proxy says so', { from: '127.0.0.1', scheme: 'https' }],
  [false, 'a trusted proxy says http, though it speaks TLS with the gateway', { from: '127.0.0.1', scheme: 'http', encrypted: true }],
  [true, 'a trusted proxy over TLS says nothing', { from: '127.0.0.1', encrypted: true }],
  [false, 'somebody else says so', { from: '192.168.1.7', scheme: 'https' }],
  [false, 'two proxies say it at once', { from: '127.0.0.1', scheme: 'https, http' }],
])('a client speaks TLS: %s, when %s', (isOverTls, _when, asked) => {
  expect(client(asked).isOverTls).toBe(isOverTls);
});

describe('Behind a trusted proxy the server', () => {
  let under: ReturnType<typeof createServerUnderTest>;
  afterEach(() => under.server.stop());

  async function serve(trusted: boolean): Promise<void> {
    under = createServerUnderTest(undefined, undefined, undefined, undefined, [], () => trusted);
    under.accounts.authenticate = () => {
      throw new DomainError('token-invalid', 'there is no such token');
    };
    await under.server.start();
  }
  const guess = (address: string) =>
    request(under.origin()).get('/api/v1/lock/battery?lockId=7').set('Authorization', 'Bearer wrong').set('X-Forwarded-For', address);

  test('slows down the client that guesses, and nobody else behind that proxy', async () => {
    await serve(true);
    for (let n = 0; n < 20; n++) expect((await guess('192.168.1.7')).status).toBe(401);
    expect((await guess('192.168.1.7')).status).toBe(429);
    expect((await guess('192.168.1.8')).status).toBe(401);
  });

  test('slows down a client that says another address each time, when there is none', async () => {
    await serve(false);
    for (let n = 0; n < 20; n++) expect((await guess(`192.168.1.${n}`)).status).toBe(401);
    expect((await guess('192.168.1.99')).status).toBe(429);
  });
});
