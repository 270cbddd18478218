// What is known of the cards on a lock beside those of the gateway: so that an add whose outcome stayed open takes off no card that was
// there before it. Asked for anew in each session, because nobody knows what was done at a lock that was away.

import type { LockId } from '../locks/lock.ts';
import type { LockLink, LockSession } from '../locks/lock-link.ts';
import { type CardOnLock, sameCard, type Validity } from './card.ts';

/** What a lock held of a number: these dates; null: nothing; undefined: that is not known. */
export type HeldBefore = Validity | null | undefined;

export interface CardEvidence {
  /** The lock has said in this session that it holds the gateway's cards and of others exactly these. */
  heard(session: LockSession, strangers: readonly CardOnLock[]): void;
  /** The lock has confirmed in this session that it holds this number as the gateway wants it, or no longer. */
  confirmed(session: LockSession, cardNumber: string): void;
  /** Something was done about this number past the gateway, as somebody says: it is not known until the lock is heard again. */
  doubted(lockId: LockId, cardNumber: string): void;
  /** Of a number that the gateway does not have as a card. */
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
