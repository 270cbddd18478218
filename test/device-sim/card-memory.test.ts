import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { admits, cardDigest, seenByReader, withCard } from '../../device-sim/card-memory.ts';

describe('the digest of the cards (Protocol 4.1)', () => {
  const cards = [
    { cardNumber: '998877', startDate: 0, endDate: 0 },
    { cardNumber: '3123119183', startDate: 1_767_225_600_000, endDate: 1_798_761_599_000 },
    { cardNumber: '1325672378', startDate: 0, endDate: 0 },
  ];

  it('is that of the cards sorted as text, whatever their order in the memory', () => {
    expect(cardDigest(cards)).toBe('7ab51b1c732d988f');
    expect(cardDigest([...cards].reverse())).toBe('7ab51b1c732d988f');
  });

  it('is that of nothing when there are no cards', () => {
    expect(cardDigest([])).toBe('e3b0c44298fc1c14');
  });

  it('changes with a date', () => {
    expect(cardDigest(withCard(cards, { cardNumber: '998877', startDate: 0, endDate: 1 }))).not.toBe('7ab51b1c732d988f');
  });
});

describe('a card before a reader (Specification 4.2 rule 2)', () => {
  it.each([
    ['1325672378', '3123119183'],
    ['3661413478', '1723612378'],
    ['11259375', '4023233280'],
    ['1304176921112448', '36150960286114308'],
  ])('%s is seen by a reverse reader as %s', (printed, seen) => {
    expect(seenByReader(printed, 'reverse')).toBe(seen);
  });

  it('is seen without leading zeros by a regular reader', () => {
    expect(seenByReader('00012', 'regular')).toBe('12');
  });

  it('is seen as printed after two reversals when all its bytes are in use', () => {
    fc.assert(
      fc.property(fc.bigInt(1n << 56n, (1n << 64n) - 1n), (value) => {
        fc.pre((value & 0xffn) !== 0n);
        expect(seenByReader(seenByReader(String(value), 'reverse'), 'reverse')).toBe(String(value));
      }),
    );
  });
});

describe('validity (Protocol 5.3 rule 4)', () => {
  it('holds always for 0 and 0, clock or not', () => {
    expect(admits({ cardNumber: '1', startDate: 0, endDate: 0 }, undefined)).toBe(true);
  });

  it('has no end for an endDate of 0', () => {
    const card = { cardNumber: '1', startDate: 5, endDate: 0 };
    expect([4, 5, Number.MAX_SAFE_INTEGER].map((now) => admits(card, now))).toEqual([false, true, true]);
  });

  it.each([
    [5, 0],
    [0, 5],
    [5, Number.MAX_SAFE_INTEGER],
  ])('never holds from %d to %d without a clock', (startDate, endDate) => {
    expect(admits({ cardNumber: '1', startDate, endDate }, undefined)).toBe(false);
  });
});
