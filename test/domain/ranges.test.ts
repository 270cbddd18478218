import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinRanges, type Range, withoutRanges } from '../../src/domain/ranges.ts';

/** Sorted, apart from each other. */
const ranges = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }).map((numbers) =>
  joinRanges(
    [],
    numbers.sort((a, b) => a - b).map((number): Range => [number, number]),
  ),
);
const numbersIn = (some: readonly Range[]): number[] =>
  some.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));

it('both ranges joined hold every number of each, and touch nowhere', () =>
  fc.assert(
    fc.property(ranges, ranges, (some, others) => {
      const joined = joinRanges(some, others);
      expect(numbersIn(joined)).toEqual([...new Set([...numbersIn(some), ...numbersIn(others)])].sort((a, b) => a - b));
      for (const [n, [from]] of joined.entries()) expect(from).toBeGreaterThan((joined[n - 1]?.[1] ?? -1) + 1);
    }),
  ));

it('without the others it holds every number that is in none of them', () =>
  fc.assert(
    fc.property(ranges, ranges, (some, others) => {
      const left = numbersIn(others);
      expect(numbersIn(withoutRanges(some, others))).toEqual(numbersIn(some).filter((number) => !left.includes(number)));
    }),
  ));
