// The cookie of a browser that is signed in to the console, and what closes the door to pages of others that would use it (CSRF).
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.ts';

/** No script can read it, no other site makes a browser send it. */
const attributes = 'Path=/; HttpOnly; SameSite=Strict';

/** What a sign-in over https is called; `__Host-` keeps plain http and other hosts from setting it (RFC 6265bis section 4.1.3.2). */
function cookieName(request: IncomingMessage): string {
  return isEncrypted(request) ? '__Host-latchd' : 'latchd';
}

function isEncrypted({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** The secret of a sign-in that the request carries instead of a token; undefined: none. `token-invalid`: more than one. */
export function signInSecretOf(request: IncomingMessage): string | undefined {
  return request.headers.authorization === undefined ? cookieSecretOf(request) : undefined;
}

/** The secret in the cookie, whoever else the request says it is from. */
export function cookieSecretOf(request: IncomingMessage): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${cookieName(request)}=`;
  const [secret, ...others] = cookie.split(';').flatMap((pair) => (pair.trim().startsWith(start) ? [pair.trim().slice(start.length)] : []));
  if (others.length > 0) throw new DomainError('token-invalid', 'the request carries more than one sign-in');
  return secret;
}

/** Set-Cookie that keeps `secret` for so long; with 0 it is forgotten. */
export function signInCookie(request: IncomingMessage, secret: string, maxAgeSeconds: number): string {
  return `${cookieName(request)}=${secret}; Max-Age=${maxAgeSeconds}; ${attributes}${isEncrypted(request) ? '; Secure' : ''}`;
}

/**
 * A sign-in counts on pages of this gateway alone, else `token-missing`. What changes anything must have the header `latchd-console: 1`,
 * which a page of another origin cannot send: it would have to ask first (Fetch 3.2.5), and nobody answers that here.
 */
export function requireOwnPage(request: IncomingMessage): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads && request.headers['latchd-console'] !== '1')
    throw new DomainError('token-missing', 'with a sign-in instead of a token, the header latchd-console: 1 must be there');
  if (!isSameOrigin(request, reads)) throw new DomainError('token-missing', 'a sign-in counts on pages of this gateway alone');
}

/** What the browser says of the page that asks. `typed`: an address that somebody typed or opened from outside is no page of others. */
export function isSameOrigin(request: IncomingMessage, typed = false): boolean {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && !(typed && site === 'none')) return false;
  // Over plain http, browsers say no more than that.
  const { origin } = headers;
  return origin === undefined || isPageOf(origin, request);
}

/**
 * Whether a page of this origin was served where the request goes. Over TLS it must be https, too: whoever is in the network can put any page
 * there that is not. Over plain http it may be: a proxy in between has ended the TLS.
 */
export function isPageOf(origin: string, request: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host === request.headers.host?.toLowerCase() && (protocol === 'https:' || (protocol === 'http:' && !isEncrypted(request)));
}
