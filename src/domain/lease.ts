// The right to serve the building. It ends by itself unless it is renewed, so that a gateway that froze or was cut off harms nobody.

import { DomainError } from './errors.ts';

export interface Lease {
  /** For how many milliseconds it still lasts; 0: it is over; Infinity: this gateway needs none. */
  leftMs(): number;
}

/** Of a gateway whose data no other one can reach. */
export const endlessLease: Lease = { leftMs: () => Number.POSITIVE_INFINITY };

const sentence = 'This node does not serve now; nothing was done. Ask again, or ask another node';

/** What callers hear of a gateway that may not serve, or that stops. */
export const notServing = new DomainError('storage-unavailable', sentence, { retryAfterSeconds: 1 });

/** What callers hear of one that stands in for another at the doors, when they ask for anything else. */
export const doorsAlone = new DomainError(
  'storage-unavailable',
  'This node opens doors for one that gives no sign, and does nothing else before it serves. Ask again',
  { retryAfterSeconds: 1 },
);

/** Throws while this gateway may not serve: what somebody at this machine hears, with the name of the node that leads. */
export function requireLeading({ leftMs }: Lease, leader: string | undefined): void {
  if (leftMs() > 0) return;
  if (leader === undefined) throw notServing;
  throw new DomainError(
    'storage-unavailable',
    `${leader} leads, and not this node: give the command on the machine of ${leader}; nothing was done`,
  );
}

/** Throws `notServing` while this gateway may not serve. */
export function requireLease({ leftMs }: Lease): void {
  if (leftMs() === 0) throw notServing;
}
