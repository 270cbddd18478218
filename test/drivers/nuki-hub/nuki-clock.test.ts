import { expect, test } from '@jest/globals';
import { createNukiClock } from '../../../src/drivers/nuki-hub/nuki-clock.ts';

const now = Date.UTC(2026, 10, 22, 7, 0, 0);

test('dates of the lock are by the distance of its clock to ours, whatever its zone', () => {
  const clock = createNukiClock();
  clock.heard('2026-11-22 08:00:00', now);
  expect(clock.dateOf('2026-11-22 07:59:00')).toBe(now - 60_000);
  clock.heard('2026-11-21 20:30:00', now);
  expect(clock.dateOf('2026-11-21 20:30:00')).toBe(now);
});

test('our dates become what the clock shows then, to the minute', () => {
  const clock = createNukiClock();
  clock.heard('2026-11-22 07:59:58', now);
  expect(clock.textOf(now + 60_000)).toBe('2026-11-22 08:01:00');
});

test.each(['', 'soon', '2026-11-22', '2026-13-40 00:00:00', '0000-00-00 00:00:00', '2026-11-22T08:00:00Z'])(
  'a clock that shows "%s" says nothing',
  (shown) => {
    const clock = createNukiClock();
    clock.heard(shown, now);
    expect([clock.dateOf('2026-11-22 08:00:00'), clock.textOf(now)]).toEqual([undefined, undefined]);
  },
);
