import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { digestOf, holderAt, removal, renaming } from '../../../src/domain/credentials/card-rules.ts';
import { createEntries } from '../../../src/domain/credentials/lock-entries.ts';
import { someCard } from '../../support/domain.ts';
import { entryOfCard } from '../../support/open-changes.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('digestOf', () => {
  it('is the first 16 hex digits of SHA-256 over the cards, one line each, sorted as text (Protocol 4.1)', () => {
    const cards = [someCard({ cardNumber: '9' }), someCard({ cardNumber: '10', startDate: 1, endDate: 2 })];
    expect(digestOf(cards, sha256)).toBe(sha256('10,1,2\n9,0,0\n').slice(0, 16));
  });

  it('takes the number as the lock has it, without leading zeros (HTTP API 6.2)', () => {
    expect(digestOf([someCard({ cardNumber: '0042' })], sha256)).toBe(sha256('42,0,0\n').slice(0, 16));
  });

  it('is that of the empty text for a lock without cards (Protocol 4.1)', () => {
    expect(digestOf([], sha256)).toBe('e3b0c44298fc1c14');
  });
});

describe('the holder of a card number at a date', () => {
  const number = '0042';
  const alice = entryOfCard(someCard({ cardNumber: number, name: 'Alice', createdAt: 10_000 }));
  const bob = entryOfCard(someCard({ cardId: 101 as CardId, cardNumber: '42', name: 'Bob', createdAt: 50_000 }));
  const named = (held: ReturnType<typeof createEntries>, ...dates: number[]) => dates.map((date) => holderAt(held, '42', date));

  it('is the card of that number from when it was added', () => {
    const held = createEntries();
    held.apply({ put: [alice] });
    expect(named(held, 10_000, 99_000)).toEqual(['Alice', 'Alice']);
    // The clock of a lock may be 2 s off.
    expect(named(held, 8_000, 7_999)).toEqual(['Alice', undefined]);
    expect(holderAt(held, '43', 20_000)).toBeUndefined();
  });

  it('is the holder at that date, when the card was removed and its number given to somebody else', () => {
    const held = createEntries();
    held.apply({ put: [alice] });
    held.apply(removal(held, alice, 30_000));
    expect(named(held, 20_000, 29_999, 32_000, 40_000)).toEqual(['Alice', 'Alice', undefined, undefined]);
    held.apply({ put: [bob] });
    expect(named(held, 29_999, 31_999, 32_000, 47_999, 48_000, 50_000)).toEqual(['Alice', 'Alice', undefined, undefined, 'Bob', 'Bob']);
  });

  it('is the name that the card had then, when it was renamed', () => {
    const held = createEntries();
    held.apply({ put: [alice] });
    held.apply(renaming(held, alice, 'Ann', 20_000));
    held.apply(renaming(held, { ...alice, name: 'Ann' }, 'Anna', 30_000));
    expect(named(held, 19_999, 20_000, 29_999, 30_000)).toEqual(['Alice', 'Ann', 'Ann', 'Anna']);
    held.apply(removal(held, { ...alice, name: 'Anna' }, 40_000));
    expect(named(held, 39_999, 60_000)).toEqual(['Anna', undefined]);
    expect(held.past('42').map(({ from, to }) => [from, to])).toEqual([
      [10_000, 20_000],
      [20_000, 30_000],
      [30_000, 40_000],
    ]);
  });
});
