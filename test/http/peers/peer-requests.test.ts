// What is believed of a request that another node has sent on.
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { DomainError } from '../../../src/domain/errors.ts';
import { cameTooLate, expiryOf, isFromPeer, notePeer, requireInTime } from '../../../src/http/peers/peer-requests.ts';
import { clientOf } from '../../../src/http/pipeline/client.ts';

const said = { 'latchd-address': '2001:db8::7', 'latchd-scheme': 'https', 'latchd-expires': '5000', 'latchd-hops': '1' };

const requestWith = (headers: object): IncomingMessage =>
  ({ headers, socket: { remoteAddress: '127.0.0.1' } }) as unknown as IncomingMessage;

describe('a request of another node', () => {
  test('is one of the client that it names', () => {
    const request = requestWith(said);
    notePeer(request);
    expect(isFromPeer(request)).toBe(true);
    expect(clientOf(request)).toEqual({ address: '2001:db8::7', network: '2001:db8:0:0::/64', isOverTls: true });
  });

  test('comes too late from its expiry on', () => {
    const request = requestWith(said);
    notePeer(request);
    expect(expiryOf(request)).toBe(5_000);
    expect(() => requireInTime(request, 4_999.9)).not.toThrow();
    expect(() => requireInTime(request, 5_000)).toThrow(cameTooLate);
  });

  test.each([
    ['latchd-address', 'somebody'],
    ['latchd-address', undefined],
    ['latchd-scheme', 'gopher'],
    ['latchd-expires', '1e9'],
    ['latchd-expires', undefined],
    ['latchd-hops', '2'],
    ['latchd-hops', undefined],
  ])('is refused when its %s is %s', (name, value) => {
    const request = requestWith({ ...said, [name]: value });
    notePeer(request);
    expect(() => requireInTime(request, 0)).toThrow(expect.objectContaining({ code: 'invalid-parameter' }));
    expect(clientOf(request).address).toBe('127.0.0.1');
  });

  test('any other one has no expiry, and is believed nothing', () => {
    const request = requestWith(said);
    expect([isFromPeer(request), expiryOf(request), clientOf(request).address]).toEqual([false, undefined, '127.0.0.1']);
    expect(() => requireInTime(request, 9_000)).not.toThrow(DomainError);
  });
});
