// What is known about cards on a lock that the gateway does not have. It prevents that undoing an unconfirmed add removes a card that the
// lock held before. The knowledge is new in each session, because anything may happen at a lock that is offline.

import type { LockId } from '../locks/lock.ts';
import type { LockLink, LockSession } from '../locks/lock-link.ts';
import { type CardOnLock, sameCard, type Validity } from './card.ts';

/** What a lock held under a number: a card with these dates; null: none; undefined: unknown. */
export type HeldBefore = Validity | null | undefined;

export interface CardEvidence {
  /** The lock has reported in this session that it holds the gateway's cards and, of others, exactly these. */
  heard(session: LockSession, strangers: readonly CardOnLock[]): void;
  /** The lock has confirmed in this session that it holds this number as the gateway wants it, or no longer. */
  confirmed(session: LockSession, cardNumber: string): void;
  /** A phone is said to have changed this number without the gateway: it is unknown until the lock reports its cards again. */
  doubted(lockId: LockId, cardNumber: string): void;
  /** What the lock holds under a number for which the gateway has no card. */
  of(session: LockSession, cardNumber: string): HeldBefore;
}

export function createCardEvidence(link: Pick<LockLink, 'session'>): CardEvidence {
  const strangers = new WeakMap<LockSession, Map<string, Validity | undefined>>();
  return {
    heard(session, held) {
      strangers.set(session, new Map(held.map(({ cardNumber, startDate, endDate }) => [sameCard(cardNumber), { startDate, endDate }])));
    },
    confirmed(session, cardNumber) {
      strangers.get(session)?.delete(sameCard(cardNumber));
    },
    doubted(lockId, cardNumber) {
      const session = link.session(lockId);
      if (session !== undefined) strangers.get(session)?.set(sameCard(cardNumber), undefined);
    },
    of(session, cardNumber) {
      const known = strangers.get(session);
      const number = sameCard(cardNumber);
      return known === undefined || known.has(number) ? known?.get(number) : null;
    },
  };
}
