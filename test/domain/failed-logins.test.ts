import { expect, test } from '@jest/globals';
import { createFailedLogins } from '../../src/domain/failed-logins.ts';
import { createSettableClock } from '../support/settable-clock.ts';

test('failed logins are counted for each network, up to 20 of the last minute', async () => {
  const clock = createSettableClock();
  const failures = createFailedLogins(clock);
  const counts = Array.from({ length: 22 }, () => failures.add('192.0.2.1'));
  expect(counts).toEqual([...Array.from({ length: 20 }, (_, n) => n + 1), 20, 20]);
  expect([failures.add('192.0.2.2'), failures.networks()]).toEqual([1, 2]);
  await clock.advance(60_000);
  expect(failures.add('192.0.2.1')).toBe(1);
});

test('there are fewer again as soon as the oldest of them is a minute old', async () => {
  const clock = createSettableClock();
  const failures = createFailedLogins(clock);
  for (let n = 0; n < 3; n++) {
    failures.add('a');
    await clock.advance(10_000);
  }
  expect([4, 3, 2, 1].map((count) => failures.msUntilBelow('a', count))).toEqual([0, 30_000, 40_000, 50_000]);
  await clock.advance(30_000);
  expect([3, 2].map((count) => failures.msUntilBelow('a', count))).toEqual([0, 10_000]);
  expect(failures.msUntilBelow('b', 1)).toBe(0);
});

test('10,000 networks are remembered: the one that failed longest ago is forgotten', () => {
  const failures = createFailedLogins(createSettableClock());
  failures.add('first');
  failures.add('second');
  failures.add('first');
  for (let n = 0; n < 9_999; n++) failures.add(`network ${n}`);
  expect([failures.networks(), failures.msUntilBelow('second', 1), failures.msUntilBelow('first', 1)]).toEqual([10_000, 0, 60_000]);
});
