// Requests that another node has sent on: they come on the endpoint for nodes, which asks for a certificate of the cluster. So what such a
// request says of its client is believed, and of no other one.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import { originOf } from '../../domain/origin.ts';
import { noteClient } from '../pipeline/client.ts';

/**
 * In lower case. `expires`: on the monotonic clock of the node that receives it, in whole milliseconds. `hops` is always 1, and a check of the
 * form alone: that nothing is sent on twice is decided by the endpoint on which it came (`isFromPeer` in `http/pipeline/without-lease.ts`).
 */
export const peerHeaders = {
  address: 'latchd-address',
  scheme: 'latchd-scheme',
  expires: 'latchd-expires',
  hops: 'latchd-hops',
} as const;

/** Of an answer to another node: the account whose valid token the request had, so that its client counts there as known. */
export const accountHeader = 'latchd-account';

/**
 * Where a node asks another one for its monotonic clock; answered on the endpoint for nodes alone: with 200 by a node that answers requests, and
 * with 503 by one that would refuse them.
 */
export const counterPath = '/counter';

/** Where a node asks another one to say when it begins to stop; answered then, on the endpoint for nodes alone. */
export const stopPath = '/stop';

/** Where a node asks for a link for the connections of locks (`node-link.ts`), and the protocol that it asks for; on the endpoint for nodes alone. */
export const lockLinkPath = '/locks';
export const lockLinkProtocol = 'latchd-locks';

/** Of a refusal of another node: it has done nothing with the request and asked for none of its body, so the request may go to the next one. */
export const notBegunHeader = 'latchd-not-begun';

interface PeerRequest {
  /** NaN: it does not say so as a node does. */
  readonly expiresAt: number;
}

const peerRequests = new WeakMap<IncomingMessage, PeerRequest>();
const deadlines = new WeakMap<IncomingMessage, number>();

/** Call it for each request on the endpoint for nodes, before anybody asks `clientOf`. */
export function notePeer(request: IncomingMessage): void {
  const said = (name: keyof typeof peerHeaders): string => String(request.headers[peerHeaders[name]]);
  const [address, scheme, expires] = [said('address'), said('scheme'), said('expires')];
  const isWhole = isIP(address) !== 0 && /^https?$/.test(scheme) && /^-?\d{1,15}$/.test(expires) && said('hops') === '1';
  peerRequests.set(request, { expiresAt: isWhole ? Number(expires) : Number.NaN });
  if (isWhole) noteClient(request, { ...originOf(address), isOverTls: scheme === 'https' });
}

export function isFromPeer(request: IncomingMessage): boolean {
  return peerRequests.has(request);
}

/** The client of a request that waited for a leader waits until then, on the monotonic clock. */
export function noteDeadline(request: IncomingMessage, deadline: number): void {
  deadlines.set(request, deadline);
}

/** Until when the client of a request waits, on the monotonic clock; undefined: it neither came from another node nor waited for one. */
export function expiryOf(request: IncomingMessage): number | undefined {
  return peerRequests.get(request)?.expiresAt ?? deadlines.get(request);
}

/** What a request hears that another node sent on, and that came when its client waited no longer. */
export const cameTooLate = new DomainError(
  'storage-unavailable',
  'The request came too late from another node; nothing was done. Ask again',
  {
    retryAfterSeconds: 1,
  },
);

/** Throws `cameTooLate`, or `invalid-parameter` for what no node sends. @param now on the monotonic clock */
export function requireInTime(request: IncomingMessage, now: number): void {
  const expiresAt = expiryOf(request);
  if (expiresAt === undefined || now < expiresAt) return;
  throw Number.isNaN(expiresAt) ? invalidParameter(peerHeaders.expires, 'and the others must be as a node sends them') : cameTooLate;
}
