// When a node that waits looks, and that it does so no longer once it has its lease.
import { expect, test } from '@jest/globals';
import { DomainError } from '../../../src/domain/errors.ts';
import { followUntil } from '../../../src/stores/postgres/follow.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

test('it looks a quarter of a second after the last look, also while the database is away, and no more when it has the lease', async () => {
  const clock = createSettableClock();
  let looks = 0;
  let finish = (): void => undefined;
  let acquire = (): void => undefined;
  const acquired = new Promise<void>((resolve) => {
    acquire = resolve;
  });
  const over = followUntil(acquired, {
    clock,
    onHint: () => () => undefined,
    look: () => {
      looks += 1;
      if (looks === 1) return Promise.reject(new DomainError('storage-unavailable', 'nothing answers'));
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
  });
  await clock.advance(249);
  expect(looks).toBe(0);
  await clock.advance(1);
  expect(looks).toBe(1);
  await clock.advance(250);
  expect(looks).toBe(2);
  await clock.advance(1_000);
  expect(looks).toBe(2);
  finish();
  await clock.advance(250);
  expect(looks).toBe(3);
  acquire();
  finish();
  await over;
  expect([looks, clock.timers()]).toEqual([3, 0]);
});

test('it is over as soon as it has the lease, when it is refused, and when a look cannot go on', async () => {
  const clock = createSettableClock();
  const look = () => Promise.reject(new Error('it is another database'));
  const onHint = () => () => undefined;
  await followUntil(Promise.resolve(), { clock, look, onHint });
  await expect(followUntil(Promise.reject(new Error('refused')), { clock, look, onHint })).rejects.toThrow('refused');
  const over = followUntil(new Promise(() => undefined), { clock, look, onHint });
  const ends = expect(over).rejects.toThrow('it is another database');
  await clock.advance(250);
  await ends;
  expect(clock.timers()).toBe(0);
});

test('it looks at once when it is told to, also after a look that was under way then', async () => {
  const clock = createSettableClock();
  let looks = 0;
  let hint = (): void => undefined;
  let [acquire, finish] = [(): void => undefined, (): void => undefined];
  const acquired = new Promise<void>((resolve) => {
    acquire = resolve;
  });
  const over = followUntil(acquired, {
    clock,
    onHint(wake) {
      hint = wake;
      return () => undefined;
    },
    look: () => {
      looks += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  await clock.advance(10);
  hint();
  await clock.advance(0);
  expect(looks).toBe(1);
  hint();
  finish();
  await clock.advance(0);
  expect(looks).toBe(2);
  acquire();
  finish();
  await over;
});
