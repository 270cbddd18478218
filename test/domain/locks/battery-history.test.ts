// What is kept of a battery (HTTP API: lock/battery-history).
import { describe, expect, test } from '@jest/globals';
import { withLevel } from '../../../src/domain/locks/battery-history.ts';
import type { BatteryLevel } from '../../../src/domain/locks/lock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const history = (...said: readonly (readonly [at: number, percent: number])[]): readonly BatteryLevel[] =>
  said.reduce<readonly BatteryLevel[]>((levels, [at, percent]) => withLevel(levels, { at, percent }), []);

describe('the history of a battery', () => {
  test('has a line for each level that was another than the one before', () => {
    const levels = history([0, 84], [2 * hourMs, 84], [dayMs, 83]);
    expect(levels).toEqual([
      { at: 0, percent: 84 },
      { at: dayMs, percent: 83 },
    ]);
    expect(withLevel(levels, { at: 2 * dayMs, percent: 83 })).toBe(levels);
  });

  test('has one line an hour at most, with the newest level', () => {
    expect(history([0, 84], [dayMs, 83], [dayMs + 60_000, 82], [dayMs + 120_000, 83])).toEqual([
      { at: 0, percent: 84 },
      { at: dayMs, percent: 83 },
    ]);
    // What it was before the hour, it is again: nothing has happened.
    expect(history([0, 84], [dayMs, 83], [dayMs + 60_000, 84])).toEqual([{ at: 0, percent: 84 }]);
  });

  test('goes on when the clock was set back', () => {
    expect(history([0, 90], [9 * dayMs, 84], [dayMs, 83])).toEqual([
      { at: 0, percent: 90 },
      { at: dayMs, percent: 83 },
    ]);
  });

  test('is bounded: 200 lines, and a year with what it was when that began', () => {
    const flapping = history(...Array.from({ length: 500 }, (_, n) => [n * 2 * hourMs, n % 2 === 0 ? 80 : 81] as const));
    expect(flapping).toHaveLength(200);
    expect(flapping.at(-1)).toEqual({ at: 998 * hourMs, percent: 81 });
    expect(history([0, 90], [dayMs, 80], [400 * dayMs, 70], [401 * dayMs, 69])).toEqual([
      { at: dayMs, percent: 80 },
      { at: 400 * dayMs, percent: 70 },
      { at: 401 * dayMs, percent: 69 },
    ]);
  });
});
