// In which order requests are handled when they are more than fit into a turn of the event loop.
import { expect, test } from '@jest/globals';
import { createRequestScheduler, type Rank } from '../../../src/http/pipeline/request-scheduler.ts';
import { createTickBatcher } from '../../../src/platform/tick-batcher.ts';

/** Each request takes half a millisecond. */
function world() {
  let now = 0;
  const handled: string[] = [];
  const turns = createRequestScheduler({ clock: { monotonic: () => now }, tickBatcher: createTickBatcher() });
  function ask(rank: Rank, name: string): void {
    turns.take(rank, () => {
      now += 0.5;
      handled.push(name);
    });
  }
  return { ask, handled };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

test('without load nothing waits', () => {
  const { ask, handled } = world();
  ask('stranger', 'one');
  ask('known', 'another');
  expect(handled).toEqual(['one', 'another']);
});

test('of many requests at once those that fit into a slice are handled at once, the rest in later ticks, and none is left out', async () => {
  const { ask, handled } = world();
  for (let n = 0; n < 100; n++) ask('stranger', String(n));
  expect(handled).toHaveLength(2);
  await turn();
  await turn();
  expect(handled.length).toBeLessThan(10);
  await until(() => handled.length === 100);
  expect(handled).toEqual(Array.from({ length: 100 }, (_, n) => String(n)));
});

test('a door waits for the end of its tick, whatever else has come before it', async () => {
  const { ask, handled } = world();
  for (let n = 0; n < 100; n++) ask('known', String(n));
  ask('door', 'door');
  await turn();
  await turn();
  expect(handled).toContain('door');
  expect(handled.length).toBeLessThan(10);
});

test('requests with a token go first, and of five that waited one is a stranger', async () => {
  const { ask, handled } = world();
  ask('stranger', 'at once');
  ask('stranger', 'at once');
  for (let n = 0; n < 10; n++) ask('stranger', 'stranger');
  for (let n = 0; n < 10; n++) ask('known', 'known');
  await until(() => handled.length === 22);
  const first = handled.slice(2, 12);
  expect(first.filter((name) => name === 'known')).toHaveLength(8);
  expect(first.filter((name) => name === 'stranger')).toHaveLength(2);
});
