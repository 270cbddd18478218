import { describe, expect, test } from '@jest/globals';
import { createKeyedRateLimiter, createRateLimitedQueue, RateLimiter } from '../../src/domain/rate-limiter.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

const rate = { perSecond: 2, burst: 3 };

describe('a rate limiter', () => {
  test('lets the burst through at once, then as much as the rate, and never saves up more than the burst', async () => {
    const clock = createSettableClock();
    const limiter = new RateLimiter({ clock, ...rate });
    const taken = () => [1, 2, 3, 4].map(() => limiter.take());
    expect([limiter.isFull(), limiter.left(), taken(), limiter.isFull(), limiter.left()]).toEqual([
      ...[true, 3, [true, true, true, false]],
      ...[false, 0],
    ]);
    expect([limiter.msUntil(1), limiter.msUntil(2), limiter.msUntil(9)]).toEqual([500, 1_000, 1_500]);
    await clock.advance(1_400);
    expect([limiter.left(), taken()]).toEqual([2, [true, true, false, false]]);
    await clock.advance(60_000);
    expect([limiter.isFull(), taken()]).toEqual([true, [true, true, true, false]]);
  });

  test('lets nothing through before what was spent beyond it has come in again, and takes back what was given back', async () => {
    const clock = createSettableClock();
    const limiter = new RateLimiter({ clock, ...rate });
    limiter.spend(10);
    await clock.advance(3_500);
    expect([limiter.take(), limiter.left(), limiter.msUntil(1)]).toEqual([false, 0, 500]);
    limiter.spend(-2);
    expect([limiter.left(), limiter.take()]).toEqual([2, true]);
  });
});

describe('a rate limiter for each key', () => {
  test('counts each key by itself', async () => {
    const clock = createSettableClock();
    const limiter = createKeyedRateLimiter<string>({ clock, ...rate, maxKeys: 10 });
    const taken = () => [1, 2, 3, 4].map(() => limiter.take('a'));
    expect([limiter.msUntil('a', 3), taken(), limiter.take('b'), limiter.msUntil('a', 1), limiter.msUntil('a', 9)]).toEqual([
      0,
      [true, true, true, false],
      ...[true, 500, 1_500],
    ]);
    await clock.advance(1_000);
    expect(taken()).toEqual([true, true, false, false]);
    limiter.charge('a', 10);
    await clock.advance(5_000);
    expect([limiter.take('a'), limiter.msUntil('a', 1)]).toEqual([false, 500]);
  });

  test('forgets keys that are full again, and the one that was asked for longest ago when there are too many', async () => {
    const clock = createSettableClock();
    const limiter = createKeyedRateLimiter<number>({ clock, ...rate, maxKeys: 100 });
    for (let key = 0; key < 1_000; key++) limiter.take(key);
    expect(limiter.size()).toBe(100);
    await clock.advance(10_000);
    for (let step = 0; step < 100; step++) limiter.take(7);
    expect(limiter.size()).toBe(1);
  });
});

describe('a queue with a rate', () => {
  test('lets some go at once, then so many a second, in the order of asking; a stop lets all go', async () => {
    const clock = createSettableClock();
    const queue = createRateLimitedQueue({ clock, perSecond: 50, burst: 10 });
    const went: number[] = [];
    const go = async (n: number): Promise<void> => {
      await queue.turn();
      went.push(n);
    };
    for (let n = 0; n < 200; n++) void go(n);
    await settled();
    expect(went.length).toBe(10);
    await clock.advance(1_000);
    expect(went.length).toBe(60);
    await clock.advance(2_000);
    expect(went).toEqual(Array.from({ length: 160 }, (_, n) => n));
    queue.stop();
    await settled();
    expect([went.length, clock.timers()]).toEqual([200, 0]);
    await clock.advance(60_000);
    expect([queue.turn(), queue.turn()]).toEqual([undefined, undefined]);
  });
});
