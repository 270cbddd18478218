import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../src/domain/card.ts';
import { cardNumbered, digestOf, numberOf, withoutIntent } from '../../src/domain/card-rules.ts';
import { someCard } from '../support/domain.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('digestOf', () => {
  it('is the first 16 hex digits of SHA-256 over the cards, one line each, sorted as text (Protocol 4.1)', () => {
    const cards = [someCard({ cardNumber: '9' }), someCard({ cardNumber: '10', startDate: 1, endDate: 2 })];
    expect(digestOf(cards, sha256)).toBe(sha256('10,1,2\n9,0,0\n').slice(0, 16));
  });

  it('takes the number as the lock has it, without leading zeros (HTTP API 3)', () => {
    expect(digestOf([someCard({ cardNumber: '0042' })], sha256)).toBe(sha256('42,0,0\n').slice(0, 16));
  });

  it('is that of the empty text for a lock without cards (Protocol 4.1)', () => {
    expect(digestOf([], sha256)).toBe('e3b0c44298fc1c14');
  });
});

describe('the cards of a lock', () => {
  const card = someCard({ cardNumber: '0042' });
  const change = { kind: 'change-validity', cardId: card.cardId, startDate: 1, endDate: 2 } as const;
  const removal = { kind: 'delete', cardId: card.cardId } as const;
  const current = { cards: [card], intents: [change, removal] };

  it('are found by number, leading zeros or not (HTTP API 3)', () => {
    expect(cardNumbered(current, '42')).toBe(card);
    expect(cardNumbered(current, '00042')).toBe(card);
    expect(cardNumbered(current, '420')).toBeUndefined();
  });

  it('name the card that an intent is about, and none when it is gone (Protocol 5.4 rule 6)', () => {
    expect(numberOf(current, removal)).toBe('42');
    expect(numberOf(current, { kind: 'add', card: someCard({ cardNumber: '007' }) })).toBe('7');
    expect(numberOf(current, { kind: 'delete', cardId: 5 as CardId })).toBeUndefined();
  });

  it('lose exactly the intent that is closed (Protocol 5.4 rule 6)', () => {
    expect(withoutIntent(current, change)).toEqual({ cards: [card], intents: [removal] });
  });
});
