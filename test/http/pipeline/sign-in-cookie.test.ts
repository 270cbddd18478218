// Which pages are those of this gateway (CSRF), plain and over TLS.
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { isSameOrigin } from '../../../src/http/pipeline/sign-in-cookie.ts';

function from(origin: string, encrypted: boolean): IncomingMessage {
  return { headers: { origin, host: 'Gateway:8443' }, socket: { encrypted } } as never;
}

test.each([
  ['https://gateway:8443', true, true],
  ['http://gateway:8443', true, false],
  ['http://gateway:8443', false, true],
  ['https://gateway:8443', false, true],
  ['https://gateway', true, false],
  ['ftp://gateway:8443', false, false],
  ['null', false, false],
])('a page of %s, asked over TLS: %s, is one of ours: %s', (origin, encrypted, isOurs) => {
  expect(isSameOrigin(from(origin, encrypted))).toBe(isOurs);
});
