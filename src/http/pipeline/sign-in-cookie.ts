// The cookie of a browser that is signed in to the console, and the checks that stop foreign pages from using it (CSRF).
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.ts';
import { clientOf } from './client.ts';

/** No script can read the cookie, and no other site can make a browser send it. */
const attributes = 'Path=/; HttpOnly; SameSite=Strict';

/**
 * The name of the cookie. Over https it begins with `__Host-`, so that plain http and other hosts cannot set it (RFC 6265bis section
 * 4.1.3.2).
 */
function cookieName(request: IncomingMessage): string {
  return clientOf(request).isOverTls ? '__Host-latchd' : 'latchd';
}

/** The secret of a sign-in that the request carries instead of a token; undefined: none. Throws `token-invalid` for more than one. */
export function signInSecretOf(request: IncomingMessage): string | undefined {
  return request.headers.authorization === undefined ? cookieSecretOf(request) : undefined;
}

/** The secret in the cookie, even if the request carries a token as well. */
export function cookieSecretOf(request: IncomingMessage): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${cookieName(request)}=`;
  const [secret, ...others] = cookie.split(';').flatMap((pair) => (pair.trim().startsWith(start) ? [pair.trim().slice(start.length)] : []));
  if (others.length > 0) throw new DomainError('token-invalid', 'the request carries more than one sign-in');
  return secret;
}

/**
 * The Set-Cookie header that makes the browser store `secret` for so long; undefined: until the browser is closed; 0: it deletes it.
 */
export function signInCookie(request: IncomingMessage, secret: string, maxAgeSeconds: number | undefined): string {
  const maxAge = maxAgeSeconds === undefined ? '' : `Max-Age=${maxAgeSeconds}; `;
  return `${cookieName(request)}=${secret}; ${maxAge}${attributes}${clientOf(request).isOverTls ? '; Secure' : ''}`;
}

/**
 * Throws `token-missing` unless the request comes from a page of this gateway. A request that changes anything must have the header
 * `latchd-console: 1`. A page of another origin cannot send it: its browser asks first (Fetch 3.2.5), and this gateway does not allow it.
 */
export function requireOwnPage(request: IncomingMessage): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads && request.headers['latchd-console'] !== '1')
    throw new DomainError('token-missing', 'with a sign-in instead of a token, the header latchd-console: 1 must be there');
  if (!isSameOrigin(request, reads)) throw new DomainError('token-missing', 'a sign-in counts on pages of this gateway alone');
}

/**
 * Whether the browser says that the request comes from a page of this gateway. With `typed`, an address that somebody typed counts, too.
 */
export function isSameOrigin(request: IncomingMessage, typed = false): boolean {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && !(typed && site === 'none')) return false;
  // Over plain http, browsers send only Origin.
  const { origin } = headers;
  return origin === undefined || isPageOf(origin, request);
}

/**
 * Whether this origin is the host that the request is for. A request over TLS needs an https origin: anybody in the network can forge a
 * page over plain http. A request over plain http may have an https origin: a proxy in between, trusted or not, has ended the TLS.
 */
export function isPageOf(origin: string, request: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host === request.headers.host?.toLowerCase() && (protocol === 'https:' || (protocol === 'http:' && !clientOf(request).isOverTls));
}
