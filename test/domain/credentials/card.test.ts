import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sameCard, storedCardNumber } from '../../../src/domain/credentials/card.ts';
import { codeOf } from '../../support/domain.ts';

const above8Bytes = 1n << 64n;

describe('storedCardNumber', () => {
  it.each([
    ['1325672378', '3123119183'],
    ['3661413478', '1723612378'],
    ['11259375', '4023233280'],
    ['1304176921112448', '36150960286114308'],
  ])('reverses the bytes of %s to %s (HTTP API 6.2)', (given, stored) => {
    expect(storedCardNumber(given, 'reverse')).toBe(stored);
  });

  it.each([
    ['the greatest of 4 bytes', 4_294_967_295n, '4294967295'],
    ['one more, in 7 bytes', 4_294_967_296n, '65536'],
    ['the greatest of 7 bytes', (1n << 56n) - 1n, '72057594037927935'],
    ['one more, in 8 bytes', 1n << 56n, '1'],
    ['the greatest of 8 bytes', above8Bytes - 1n, '18446744073709551615'],
    ['zero', 0n, '0'],
  ])('chooses the smallest of 4, 7 and 8 bytes: %s (HTTP API 6.2)', (_what, given, stored) => {
    expect(storedCardNumber(String(given), 'reverse')).toBe(stored);
  });

  it.each(['regular', 'reverse'] as const)('refuses what is above 2^64-1, %s as well (HTTP API 6.2)', async (byteOrder) => {
    expect(await codeOf(() => storedCardNumber(String(above8Bytes), byteOrder))).toBe('invalid-parameter');
    expect(await codeOf(() => storedCardNumber('99999999999999999999', byteOrder))).toBe('invalid-parameter');
    expect(await codeOf(() => storedCardNumber(String(above8Bytes - 1n), byteOrder))).toBe('done');
  });

  it('keeps the digits as given when regular, leading zeros too (HTTP API 6.2)', () => {
    expect(storedCardNumber('0001325672378', 'regular')).toBe('0001325672378');
  });

  it('ignores leading zeros when it reverses: the value counts (HTTP API 6.2)', () => {
    expect(storedCardNumber('00000000001325672378', 'reverse')).toBe('3123119183');
  });

  it('gives the number back when it is reversed twice, as long as the first result needs as many bytes (HTTP API 6.2)', () => {
    const sizes = [4, 7, 8] as const;
    const bytesOf = (value: bigint) => sizes.find((size) => value < 1n << BigInt(8 * size));
    fc.assert(
      fc.property(fc.bigInt(0n, above8Bytes - 1n), (value) => {
        const once = storedCardNumber(String(value), 'reverse');
        fc.pre(bytesOf(BigInt(once)) === bytesOf(value));
        expect(storedCardNumber(once, 'reverse')).toBe(String(value));
      }),
    );
  });

  it('reverses as a plain buffer of those bytes does (HTTP API 6.2)', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, above8Bytes - 1n), (value) => {
        const size = value < 1n << 32n ? 4 : value < 1n << 56n ? 7 : 8;
        const hex = Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex')
          .reverse()
          .toString('hex');
        expect(storedCardNumber(String(value), 'reverse')).toBe(String(BigInt(`0x${hex}`)));
      }),
    );
  });
});

describe('sameCard', () => {
  it.each([
    ['007', '7'],
    ['7', '7'],
    ['700', '700'],
    ['0', '0'],
    ['0000', '0'],
    ['00000000000000000010', '10'],
  ])('brings %s to %s: numbers are the same card without leading zeros (HTTP API 6.2)', (given, same) => {
    expect(sameCard(given)).toBe(same);
  });
});
