// The end of a tick: items of one kind together, kinds in their order, and no item left behind.
import { describe, expect, test } from '@jest/globals';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the end of a tick', () => {
  test('handles items step by step, whatever the order in which they came or the steps were announced', async () => {
    const done: string[] = [];
    const tickBatcher = createTickBatcher();
    const answer = tickBatcher.batch('answers', (item: string) => done.push(item));
    const request = tickBatcher.batch('requests', (item: string) => done.push(item));
    answer('answer 1');
    request('request 1');
    answer('answer 2');
    request('request 2');
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual(['request 1', 'request 2', 'answer 1', 'answer 2']);
  });

  test('sends a packet that a request makes in the same tick', async () => {
    const done: string[] = [];
    const tickBatcher = createTickBatcher();
    const packet = tickBatcher.batch('packets', (item: string) => done.push(item));
    const request = tickBatcher.batch('requests', (item: string) => packet(`command of ${item}`));
    request('request 1');
    request('request 2');
    await turn();
    expect(done).toEqual(['command of request 1', 'command of request 2']);
  });

  test('handles what a later step makes for an earlier one in the next tick, with nothing else to wake it', async () => {
    const done: string[] = [];
    const tickBatcher = createTickBatcher();
    const request = tickBatcher.batch('requests', (item: string) => done.push(item));
    const answer = tickBatcher.batch('answers', (item: string) => {
      done.push(item);
      if (item === 'answer 1') request('request of an answer');
    });
    answer('answer 1');
    await turn();
    expect(done).toEqual(['answer 1']);
    await turn();
    expect(done).toEqual(['answer 1', 'request of an answer']);
  });

  test('handles waiting items at once and only once for a caller that is about to start long work', async () => {
    const done: string[] = [];
    const tickBatcher = createTickBatcher();
    const packet = tickBatcher.batch('packets', (item: string) => done.push(item));
    const request = tickBatcher.batch('requests', (item: string) => packet(`command of ${item}`));
    request('request 1');
    tickBatcher.drain();
    expect(done).toEqual(['command of request 1']);
    request('request 2');
    await turn();
    await turn();
    expect(done).toEqual(['command of request 1', 'command of request 2']);
  });

  test('handles later items again', async () => {
    const done: number[] = [];
    const packet = createTickBatcher().batch('packets', (item: number) => done.push(item));
    for (const item of [1, 2, 3]) {
      packet(item);
      await turn();
      expect(done.at(-1)).toBe(item);
    }
    expect(done).toEqual([1, 2, 3]);
  });
});
