import { describe, expect, it } from '@jest/globals';
import { createMutex, createSemaphore } from '../../src/domain/mutex.ts';
import { settled } from '../support/settable-clock.ts';

describe('a mutex', () => {
  it('runs each piece of work when the ones before it have ended, however they ended', async () => {
    const oneByOne = createMutex();
    const steps: string[] = [];
    let fail = (_error: Error) => {};
    const first = oneByOne(() => {
      steps.push('first');
      return new Promise<void>((_, reject) => {
        fail = reject;
      });
    });
    const second = oneByOne(async () => {
      steps.push('second');
      return 2;
    });
    await settled();
    expect(steps).toEqual(['first']);
    fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await expect(second).resolves.toBe(2);
  });
});

describe('a semaphore', () => {
  it('runs so many pieces of work at the same time, and the next in the order of asking when one has ended', async () => {
    const twoAtOnce = createSemaphore(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((n) =>
      twoAtOnce(async () => {
        begun.push(n);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (n === 1) throw new Error('broken');
        return n;
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    ends[1]?.();
    await expect(all[1]).rejects.toThrow('broken');
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[2]?.();
    ends[0]?.();
    await settled();
    ends[3]?.();
    await expect(Promise.all([all[0], all[2], all[3]])).resolves.toEqual([0, 2, 3]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
