// Since when the first request of a connection may have waited, by the turns of the event loop in which connections are accepted.
import { expect, test } from '@jest/globals';
import { createAcceptQueue } from '../../../src/http/pipeline/accept-queue.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function createQueue(most = 100) {
  const time = { now: 1_000, request: 400 };
  const queue = createAcceptQueue({
    clock: { monotonic: () => time.now },
    stallDetector: { requestTime: () => time.request },
    most,
  });
  return { time, queue };
}

test('of many that are accepted one after the other, the last one may have come with the first', async () => {
  const { time, queue } = createQueue();
  const said: number[] = [];
  for (let n = 0; n < 50; n++) {
    said.push(queue.accepted());
    time.now += 40;
    time.request = time.now;
    await turn();
  }
  expect(new Set(said)).toEqual(new Set([400]));
});

test('after a turn without any, nobody is left who may have waited', async () => {
  const { time, queue } = createQueue();
  queue.accepted();
  await turn();
  await turn();
  time.request = 990;
  expect(queue.accepted()).toBe(990);
});

test('none waits longer than it takes to accept as many as the kernel keeps, however long they go on coming', async () => {
  const { time, queue } = createQueue(3);
  const said: number[] = [];
  for (let n = 0; n < 6; n++) {
    said.push(queue.accepted());
    time.now += 100;
    await turn();
  }
  expect(said).toEqual([400, 400, 400, 1_000, 1_100, 1_200]);
});
