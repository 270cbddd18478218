import { expect, test } from '@jest/globals';
import { createProgressCheckpoint } from '../../../src/domain/delivery/progress-checkpoint.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';

function createWorld() {
  const clock = createSettableClock();
  const open: ((isWritten: boolean) => void)[] = [];
  const given: (readonly string[])[] = [];
  const checkpoint = createProgressCheckpoint<string>({
    clock,
    write(failed) {
      given.push(failed);
      return new Promise((resolve, reject) => open.push((isWritten) => (isWritten ? resolve() : reject(new Error('the disk is full')))));
    },
  });
  async function finish(isWritten: boolean): Promise<void> {
    open.shift()?.(isWritten);
    await settled();
  }
  return { clock, open, given, checkpoint, finish };
}

test('changes during a write are written in one more write, and only then do their callers go on', async () => {
  const { open, checkpoint, finish } = createWorld();
  let written = 0;
  void checkpoint.now();
  await settled();
  for (const _ of [1, 2, 3]) {
    void checkpoint.now();
    void checkpoint.written().then(() => void written++);
  }
  expect(open).toHaveLength(1);
  await finish(true);
  expect([open.length, written]).toEqual([1, 0]);
  await finish(true);
  expect([open.length, written]).toEqual([0, 3]);
});

test('a failed write lets its callers go on, and is tried again after 5 s', async () => {
  const { clock, open, checkpoint, finish } = createWorld();
  let isOver = false;
  void checkpoint.now().then(() => {
    isOver = true;
  });
  await settled();
  await finish(false);
  expect(isOver).toBe(true);
  await clock.advance(5_000);
  expect(open).toHaveLength(1);
  await finish(true);
  expect(clock.timers()).toBe(0);
});

test('what can wait is written within 5 s, all of it at once; after the last write at the stop nothing more', async () => {
  const { clock, open, checkpoint, finish } = createWorld();
  for (const _ of [1, 2, 3]) checkpoint.later();
  await clock.advance(4_999);
  expect(open).toHaveLength(0);
  await clock.advance(1);
  expect(open).toHaveLength(1);
  await finish(true);
  const stopped = checkpoint.stop();
  await settled();
  await finish(false);
  await stopped;
  checkpoint.later();
  expect(clock.timers()).toBe(0);
});

test('what has failed for good goes into the next write, and after a failed one into the one behind it', async () => {
  const { clock, given, checkpoint, finish } = createWorld();
  async function write(isWritten: boolean): Promise<void> {
    void checkpoint.now();
    await settled();
    await finish(isWritten);
  }
  checkpoint.addFailed('1');
  await write(false);
  checkpoint.addFailed('2');
  await write(true);
  await write(true);
  expect(given).toEqual([['1'], ['1', '2'], []]);
  expect(clock.timers()).toBe(0);
});
