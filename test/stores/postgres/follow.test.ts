// When a node that waits looks, and that it does so no longer once it has its lease.
import { expect, test } from '@jest/globals';
import { followUntil } from '../../../src/stores/postgres/follow.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

test('it looks each second, more seldom when a look takes long or fails, and no more when it has the lease', async () => {
  const clock = createSettableClock();
  let looks = 0;
  let finish = (): void => undefined;
  let acquire = (): void => undefined;
  const acquired = new Promise<void>((resolve) => {
    acquire = resolve;
  });
  const over = followUntil(acquired, {
    clock,
    look: () => {
      looks += 1;
      if (looks === 1) return Promise.reject(new Error('nothing answers'));
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
  });
  await clock.advance(999);
  expect(looks).toBe(0);
  await clock.advance(1);
  expect(looks).toBe(1);
  await clock.advance(1_000);
  expect(looks).toBe(2);
  await clock.advance(300);
  finish();
  await clock.advance(2_999);
  expect(looks).toBe(2);
  await clock.advance(1);
  expect(looks).toBe(3);
  acquire();
  finish();
  await over;
  expect([looks, clock.timers()]).toEqual([3, 0]);
});

test('it is over as soon as it has the lease, and when it is refused', async () => {
  const clock = createSettableClock();
  const look = () => Promise.reject(new Error('nobody waits'));
  await followUntil(Promise.resolve(), { clock, look });
  await expect(followUntil(Promise.reject(new Error('refused')), { clock, look })).rejects.toThrow('refused');
  expect(clock.timers()).toBe(0);
});
