// Work that is asked for many times in a row.
import { expect, test } from '@jest/globals';
import { createDebounce } from '../../src/domain/debounce.ts';
import { createSettableClock } from '../support/settable-clock.ts';

function debounced() {
  const clock = createSettableClock();
  let done = 0;
  const { ask, stop } = createDebounce(clock, { quietMs: 50, longestMs: 500 }, () => {
    done += 1;
  });
  return { clock, ask, stop, done: () => done };
}

test('what is asked for once is done when it has been quiet for as long as it must', async () => {
  const { clock, ask, done } = debounced();
  ask();
  await clock.advance(49);
  expect(done()).toBe(0);
  await clock.advance(1);
  expect(done()).toBe(1);
  await clock.advance(1_000);
  expect([done(), clock.timers()]).toEqual([1, 0]);
});

test('what is asked for again and again is done now and then, and once more at the end', async () => {
  const { clock, ask, done } = debounced();
  for (let asked = 0; asked < 100; asked++) {
    ask();
    await clock.advance(10);
  }
  expect(done()).toBe(2);
  ask();
  await clock.advance(50);
  expect(done()).toBe(3);
});

test('what is stopped is not done, and may be asked for anew', async () => {
  const { clock, ask, stop, done } = debounced();
  ask();
  stop();
  await clock.advance(1_000);
  expect([done(), clock.timers()]).toEqual([0, 0]);
  ask();
  await clock.advance(50);
  expect(done()).toBe(1);
});
