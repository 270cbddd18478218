import { describe, expect, it } from '@jest/globals';
import { always, type ValidWindow } from '../../../src/domain/credentials/entry.ts';
import { coversWindow, intersectWindows, windowForLock } from '../../../src/domain/credentials/valid-windows.ts';
import { coversHours, intersectHours, uniteHours } from '../../../src/domain/credentials/week-hours.ts';
import { createRandom } from '../../support/seeded-random.ts';

const office = '12345:480-1080';

describe('weekly hours', () => {
  it.each([
    ['', office, ''],
    [office, '67:540-720', '12345:480-1080;67:540-720'],
    ['1:0-600', '1:600-1200', '1:0-1200'],
    ['12:0-600', '1:300-700', '1:0-700;2:0-600'],
    ['1234567:0-1440', '8:0-1440', ''],
  ])('%j or %j is %j', (one, other, either) => {
    expect(uniteHours(one, other)).toBe(either);
    expect(uniteHours(other, one)).toBe(either);
  });

  it('no hours in common are no hours, and not always', () => {
    expect(intersectHours('1:0-600', '2:0-600')).toBeNull();
    expect(intersectHours('1:0-600', '1:600-1200')).toBeNull();
    expect(intersectHours(office, '')).toBe(office);
    expect(intersectHours('12:0-600', '23:300-700')).toBe('2:300-600');
  });

  it('always covers some hours, and some hours do not cover always', () => {
    expect(coversHours('', office)).toBe(true);
    expect(coversHours(office, '')).toBe(false);
    expect(coversHours('123456:400-1100', office)).toBe(true);
    expect(coversHours('123456:400-1000', office)).toBe(false);
  });
});

/** Whether a window admits at a date; hours are `''`, or whole days of the 3 in this model. */
function admits(window: ValidWindow | null, at: number): boolean {
  if (window === null || at < window.startDate || (window.endDate !== 0 && at > window.endDate)) return false;
  return window.hours === '' || window.hours.split(':')[0]?.includes(String((at % 3) + 1)) === true;
}

describe('windows', () => {
  const { below: pick } = createRandom(7);
  const someWindow = (): ValidWindow => {
    const startDate = pick(3) === 0 ? 0 : 1 + pick(20);
    const endDate = pick(3) === 0 ? 0 : startDate + pick(15) + 1;
    return { startDate, endDate, hours: ['', '1:0-1440', '2:0-1440', '12:0-1440', '23:0-1440'][pick(5)] ?? '', once: false };
  };
  const dates = Array.from({ length: 60 }, (_, at) => at + 1);

  it('admit together what the model says', () => {
    for (let round = 0; round < 3_000; round++) {
      const [one, other] = [someWindow(), someWindow()];
      const both = intersectWindows(one, other);
      expect(dates.filter((at) => admits(both, at) !== (admits(one, at) && admits(other, at)))).toEqual([]);
      if (coversWindow(one, other)) expect(dates.filter((at) => admits(other, at) && !admits(one, at))).toEqual([]);
    }
  });

  it('give a piece that admits all of now, and never more than their union', () => {
    for (let round = 0; round < 3_000; round++) {
      const windows = Array.from({ length: 1 + pick(4) }, someWindow);
      const now = 1 + pick(50);
      const piece = windowForLock(windows, now);
      const isAdmitted = (at: number) => windows.some((window) => admits(window, at));
      expect(admits(piece, now)).toBe(isAdmitted(now));
      expect(dates.filter((at) => admits(piece, at) && !isAdmitted(at))).toEqual([]);
    }
  });

  it('are one window when they follow each other alike', () => {
    const [first, second] = [
      { ...always, endDate: 9 },
      { ...always, startDate: 10 },
    ];
    expect(windowForLock([first, second], 5)).toEqual(always);
    expect(windowForLock([first, { ...second, hours: office }], 5)).toEqual(first);
    expect(windowForLock([first, { ...second, hours: office }], 12)).toEqual({ ...second, hours: office });
    expect(windowForLock([], 5)).toBeNull();
  });

  it('opens once only when nothing lasting is wanted', () => {
    expect(
      windowForLock(
        [
          { ...always, once: true },
          { ...always, hours: office },
        ],
        5,
      ),
    ).toEqual({ ...always, hours: office });
  });
});
