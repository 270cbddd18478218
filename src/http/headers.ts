// What request headers say about the request as a whole: Accept, Host, repeated ones.
import { DomainError, invalidParameter } from '../domain/errors.ts';

/** How often a header was sent; Node itself keeps only the first of those that may not be repeated. `name` in lower case. */
export function headerCount(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

/** RFC 9112 3.2: an HTTP/1.1 request names its host exactly once; anything else is `invalid-parameter`. */
export function requireOneHost(rawHeaders: readonly string[], httpVersion: string): void {
  const hosts = headerCount(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw invalidParameter('Host', 'must be sent exactly once');
}

/** `not-acceptable` when an Accept header excludes what is answered here (RFC 9110 12.5.1); none at all excludes nothing. */
export function requireAccepted(accept: string | undefined, mediaType: 'application/json' | 'text/event-stream'): void {
  if (accept === undefined || accept === mediaType || accept === '*/*' || accept.trim() === '') return;
  if (quality(accept, mediaType) === 0) throw new DomainError('not-acceptable', `the answer is ${mediaType} only`);
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
