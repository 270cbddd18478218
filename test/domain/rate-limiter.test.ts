import { expect, test } from '@jest/globals';
import { createPace } from '../../src/domain/rate-limiter.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

test('some at once, then so many a second, in the order of asking; a stop lets all go', async () => {
  const clock = createSettableClock();
  const pace = createPace({ clock, perSecond: 50, atOnce: 10 });
  const went: number[] = [];
  const go = async (n: number): Promise<void> => {
    await pace.turn();
    went.push(n);
  };
  for (let n = 0; n < 200; n++) void go(n);
  await settled();
  expect(went.length).toBe(10);
  await clock.advance(1_000);
  expect(went.length).toBe(60);
  await clock.advance(2_000);
  expect(went).toEqual(Array.from({ length: 160 }, (_, n) => n));
  pace.stop();
  await settled();
  expect([went.length, clock.timers()]).toEqual([200, 0]);
  await clock.advance(60_000);
  expect([pace.turn(), pace.turn()]).toEqual([undefined, undefined]);
});
