// Headers that concern the request as a whole: Accept, Accept-Encoding, Host, repeated ones.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { DomainError, invalidParameter } from '../../domain/errors.ts';

/** How often a header was sent: of those that must not be repeated, Node gives only the first. `name` in lower case. */
export function headerCount(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

/** RFC 9112 section 3.2: an HTTP/1.1 request names its host exactly once; anything else is `invalid-parameter`. */
export function requireOneHost(rawHeaders: readonly string[], httpVersion: string): void {
  const hosts = headerCount(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw invalidParameter('Host', 'must be sent exactly once');
}

/**
 * Throws `not-acceptable` when the Accept header excludes this media type (RFC 9110 section 12.5.1); without the header all is accepted.
 */
export function requireAccepted(accept: string | undefined, mediaType: string): void {
  if (accept === undefined || accept === mediaType || accept === '*/*' || accept.trim() === '') return;
  if (quality(accept, mediaType) === 0) throw new DomainError('not-acceptable', `the answer is ${mediaType} only`);
}

/** Which of two media types the client would rather have, the first one when it does not care. Throws `not-acceptable`. */
export function preferredOf(accept: string | undefined, first: string, other: string | undefined): string {
  if (accept === undefined || other === undefined || quality(accept, other) <= quality(accept, first)) {
    requireAccepted(accept, first);
    return first;
  }
  return other;
}

/** The quality that the most specific range gives to this type; 0 when none matches. */
function quality(accept: string, mediaType: string): number {
  const ranges = ['*/*', mediaType.replace(/[^/]*$/, '*'), mediaType];
  let best = -1;
  let found = 0;
  for (const item of accept.split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const specificity = ranges.indexOf(range);
    if (specificity <= best) continue;
    best = specificity;
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    found = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0;
  }
  return found;
}

/**
 * Whether Accept-Encoding asks for gzip (RFC 9110 section 12.5.3). A client without this header may be a program that cannot decompress.
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const codings = acceptEncoding.split(',').map((item) => item.split(';').map((part) => part.trim().toLowerCase()));
  const [, weight] = codings.find(([name]) => name === 'gzip') ?? codings.find(([name]) => name === '*') ?? ['', 'q=0'];
  return !/^q=0(\.0*)?$/.test(weight ?? '');
}

/**
 * Returns a check that throws `invalid-parameter` when Host is a name that is not in the list; an empty list allows every name. It is
 * against DNS rebinding: a foreign page whose name is made to resolve to this gateway has that name in Host. Addresses and localhost always
 * pass, because nobody else can own them.
 */
export function createHostCheck(names: readonly string[]): (request: IncomingMessage) => void {
  const ours = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return ({ headers: { host } }) => {
    if (names.length === 0 || host === undefined) return;
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
    if (ours.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return;
    throw invalidParameter('Host', 'is no name of this gateway (http.hosts in its configuration)');
  };
}
