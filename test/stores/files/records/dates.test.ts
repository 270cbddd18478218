import { describe, expect, test } from '@jest/globals';
import { Dates } from '../../../../src/stores/files/records/dates.ts';
import { createRandom } from '../../../support/seeded-random.ts';

/** The result of a look at each date. */
function looked(dates: readonly number[], from: number, to: number, skip: number, take: number) {
  const within = dates.map((_, n) => n).filter((n) => from <= (dates[n] as number) && (dates[n] as number) <= to);
  return { matching: within.length, newest: within.reverse().slice(skip, skip + take) };
}

describe('dates', () => {
  test.each([0, 1, 255, 256, 257, 3_000])('%d dates, nearly in order, are counted and found as by a look at each', (count) => {
    const random = createRandom(count);
    const dates = new Dates();
    const expected: number[] = [];
    for (let n = 0; n < count; n++) {
      // Now and then an event that arrived late, or a clock that was set back.
      const date = n * 10 - (random.chance(0.05) ? random.below(20_000) : 0);
      const at = random.chance(0.02) ? random.below(expected.length + 1) : expected.length;
      if (at < expected.length) dates.insert(at, date);
      else dates.add(date);
      expected.splice(at, 0, date);
    }
    for (let trial = 0; trial < 300; trial++) {
      const [a, b] = [random.below(count * 12 + 10) - 1_000, random.below(count * 12 + 10) - 1_000];
      const [skip, take] = [random.below(trial % 2 ? 50 : count + 20), 1 + random.below(trial % 3 ? 30 : count + 1)];
      const { matching, newest } = looked(expected, a, b, skip, take);
      expect(dates.matching(a, b)).toBe(matching);
      expect(dates.newest(a, b, skip, take)).toEqual(newest);
    }
    expect(dates.matching(-Infinity, Infinity)).toBe(count);
  });
});
