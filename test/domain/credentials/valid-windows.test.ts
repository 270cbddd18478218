import { describe, expect, it } from '@jest/globals';
import { always, type ValidWindow } from '../../../src/domain/credentials/entry.ts';
import { coversWindow, intersectWindows } from '../../../src/domain/credentials/valid-windows.ts';
import { createRandom } from '../../support/seeded-random.ts';

const office = '12345:480-1080';
const dates = Array.from({ length: 60 }, (_, at) => at + 1);

/** Whether a window admits at a date; hours are `''`, or whole days of the 3 in this model. */
function admits(window: ValidWindow | null, at: number): boolean {
  if (window === null || at < window.startDate || (window.endDate !== 0 && at > window.endDate)) return false;
  return window.hours === '' || window.hours.split(':')[0]?.includes(String((at % 3) + 1)) === true;
}

describe('windows', () => {
  it.each([
    ['', office, true],
    [office, '', false],
    ['123456:400-1100', office, true],
    ['123456:400-1000', office, false],
    ['1:0-600;1:600-1440', '1:0-1440', true],
  ])('with hours %j cover %j or not', (wide, narrow, expected) => {
    expect(coversWindow({ ...always, hours: wide }, { ...always, hours: narrow })).toBe(expected);
  });

  it.each([
    ['1:0-600', '2:0-600', null],
    ['1:0-600', '1:600-1200', null],
    ['', office, office],
    ['12:0-600', '23:300-700', '2:300-600'],
  ])('with hours %j and %j have no hours in common that are always', (one, other, hours) => {
    expect(intersectWindows({ ...always, hours: one }, { ...always, hours: other })?.hours ?? null).toBe(hours);
  });

  it('that open once are less than others', () => {
    const once = { ...always, once: true };
    expect([coversWindow(always, once), coversWindow(once, always), intersectWindows(always, once)]).toEqual([true, false, once]);
  });

  it('admit together what the model says', () => {
    const { below, pick } = createRandom(7);
    const someWindow = (): ValidWindow => {
      const startDate = below(3) === 0 ? 0 : 1 + below(20);
      const endDate = below(3) === 0 ? 0 : startDate + below(15) + 1;
      return { startDate, endDate, hours: pick(['', '1:0-1440', '2:0-1440', '12:0-1440', '23:0-1440']), once: false };
    };
    for (let round = 0; round < 3_000; round++) {
      const [one, other] = [someWindow(), someWindow()];
      const both = intersectWindows(one, other);
      expect(dates.filter((at) => admits(both, at) !== (admits(one, at) && admits(other, at)))).toEqual([]);
      if (coversWindow(one, other)) expect(dates.filter((at) => admits(other, at) && !admits(one, at))).toEqual([]);
    }
  });
});
