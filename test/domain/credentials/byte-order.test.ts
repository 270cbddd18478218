import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { everyForm, numberAtReader, reversalsOf } from '../../../src/domain/credentials/byte-order.ts';

const above8Bytes = 1n << 64n;
const anyNumber = fc.oneof(
  fc.bigInt(0n, (1n << 32n) - 1n),
  fc.bigInt(0n, (1n << 56n) - 1n),
  fc.bigInt(0n, above8Bytes - 1n),
  fc.bigInt(0n, 70_000n),
);
const anyWidth = fc.constantFrom(4, 7, 8);

/** As text of hexadecimal digits: shares nothing with the arithmetic of the gateway. */
function backwards(value: bigint, width: number): bigint | undefined {
  const digits = value.toString(16).padStart(width * 2, '0');
  if (digits.length > width * 2) return undefined;
  return BigInt(`0x${Buffer.from(digits, 'hex').reverse().toString('hex')}`);
}

describe('the numbers of one card', () => {
  it('are its own and its bytes reversed in each width that holds it', () => {
    expect(everyForm('170')).toEqual(['170', '2852126720', '47850746040811520', String(170n << 56n)]);
    expect(everyForm('4294967296')).toEqual(['4294967296', '65536', '16777216']);
    expect(everyForm('0001325672378')[0]).toBe('1325672378');
  });

  it('are as a plain reversal of the bytes gives them, for any number', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        const expected = new Set([value, ...[4, 7, 8].map((width) => backwards(value, width))]);
        expected.delete(undefined);
        expect(new Set(everyForm(String(value)))).toEqual(new Set([...expected].map(String)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('lead back: who is found by a number finds that number', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        for (const form of everyForm(String(value))) expect(everyForm(form)).toContain(String(value));
      }),
    );
  });

  it('name each number once, and a number that reads the same in both orders has no other', () => {
    const palindrome = String(0xab_cd_cd_abn);
    expect(reversalsOf(palindrome).map(({ width }) => width)).toEqual([7, 8]);
    expect(reversalsOf('0')).toEqual([]);
    fc.assert(fc.property(anyNumber, (value) => expect(new Set(everyForm(String(value))).size).toBe(everyForm(String(value)).length)));
  });

  it.each(['', '12a', '18446744073709551616', '9'.repeat(4_000)])('of text that is no number of a card is itself alone', (text) => {
    expect(everyForm(text)).toEqual([text]);
  });
});

describe('the number that a reader sees', () => {
  it('is the printed one at a regular reader', () => {
    fc.assert(
      fc.property(anyNumber, anyWidth, (value, width) => {
        expect(numberAtReader({ number: String(value), width }, 'regular')).toBe(String(value));
      }),
    );
  });

  it('is reversed in the width of the card, or in the smallest that holds it', () => {
    fc.assert(
      fc.property(anyNumber, fc.option(anyWidth), (value, width) => {
        const widths = [width ?? 4, 4, 7, 8].filter((one) => backwards(value, one) !== undefined);
        const expected = backwards(value, widths[0] as number);
        expect(numberAtReader({ number: String(value), width }, 'reverse')).toBe(String(expected));
      }),
    );
  });

  it('is one of the numbers of the card', () => {
    fc.assert(
      fc.property(anyNumber, anyWidth, (value, width) => {
        expect(everyForm(String(value))).toContain(numberAtReader({ number: String(value), width }, 'reverse'));
      }),
    );
  });
});
