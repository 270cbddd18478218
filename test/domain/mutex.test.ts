import { describe, expect, it } from '@jest/globals';
import { createSequence } from '../../src/domain/mutex.ts';
import { settled } from '../support/settable-clock.ts';

describe('a sequence', () => {
  it('runs each piece of work when the ones before it have ended, however they ended (HTTP API 5)', async () => {
    const inSequence = createSequence();
    const steps: string[] = [];
    let fail = (_error: Error) => {};
    const first = inSequence(() => {
      steps.push('first');
      return new Promise<void>((_, reject) => {
        fail = reject;
      });
    });
    const second = inSequence(async () => {
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
