import { describe, expect, test } from '@jest/globals';
import { createQueueScheduler, type Pause } from '../../../src/domain/delivery/queue-scheduler.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';

interface Queue {
  readonly name: number;
  left: number;
}

/** So many queues with so much in each; each attempt takes until `finish`. */
function createWorld(count: number, each: number) {
  const clock = createSettableClock();
  const all: readonly Queue[] = Array.from({ length: count }, (_, n) => ({ name: n + 1, left: each }));
  const served: number[] = [];
  const open: { readonly queue: Queue; readonly end: (pause: Pause | undefined) => void }[] = [];
  const scheduler = createQueueScheduler<Queue>({
    clock,
    atOnce: 4,
    hasMore: ({ left }) => left > 0,
    serveNext(queue) {
      served.push(queue.name);
      return new Promise((end) => open.push({ queue, end }));
    },
  });
  for (const queue of all) scheduler.serve(queue);
  /** Ends the attempt that has been open for longest: delivered, or with a pause. */
  async function finish(pause?: Pause): Promise<void> {
    const first = open.shift();
    if (first !== undefined && pause === undefined) first.queue.left -= 1;
    first?.end(pause);
    await settled();
  }
  return { clock, scheduler, served, open, all, finish };
}

describe('the queues of a receiver', () => {
  test('are served four at a time, each of them in turn, until all are empty', async () => {
    const { served, open, finish, all } = createWorld(6, 2);
    expect(served).toEqual([1, 2, 3, 4]);
    for (let most = 4; open.length > 0; most = Math.max(most, open.length)) {
      expect(most).toBe(4);
      await finish();
    }
    expect(served).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
    expect(all.map(({ left }) => left)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('pause alone: one that hangs and one that fails leave the others their places', async () => {
    const { clock, served, open, finish } = createWorld(6, 1);
    open.shift();
    await finish({ ms: 5_000, isUnreachable: false });
    expect(served).toEqual([1, 2, 3, 4, 5]);
    while (open.length > 0) await finish();
    expect(served).toEqual([1, 2, 3, 4, 5, 6]);
    await clock.advance(4_999);
    expect(served).toHaveLength(6);
    await clock.advance(1);
    expect(served.slice(6)).toEqual([2]);
  });

  test('that pause because nobody answered go on together when one is answered; those that were refused do not', async () => {
    const { scheduler, served, open, finish, clock } = createWorld(3, 1);
    await finish({ ms: 60_000, isUnreachable: true });
    await finish({ ms: 60_000, isUnreachable: false });
    await finish({ ms: 60_000, isUnreachable: true });
    scheduler.resume('unreachable');
    await settled();
    expect(served.slice(3)).toEqual([1, 3]);
    scheduler.resume('all');
    await settled();
    expect(served.slice(3)).toEqual([1, 3, 2]);
    expect([open.length, clock.timers()]).toEqual([3, 0]);
  });

  test('are served by one at a time, however often it is asked for', async () => {
    const { scheduler, served, all } = createWorld(1, 3);
    for (const queue of all) for (const _ of [1, 2]) scheduler.serve(queue);
    await settled();
    expect(served).toEqual([1]);
  });

  test('are paused no more after the stop, and no timer is left', async () => {
    const { scheduler, finish, open, clock } = createWorld(3, 2);
    await finish({ ms: 5_000, isUnreachable: false });
    scheduler.stop();
    while (open.length > 0) await finish({ ms: 5_000, isUnreachable: true });
    expect(clock.timers()).toBe(0);
  });
});
