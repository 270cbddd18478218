// Since when the first request of a connection may have waited, by the turns of the event loop in which connections are accepted.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createAcceptQueue } from '../../../src/http/pipeline/accept-queue.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const client = { remoteAddress: '::ffff:127.0.0.1', remotePort: 1, destroy: () => undefined } as unknown as Socket;

/** What the queue opens itself waits in `own` until a test has it accepted. */
function createQueue(most = 100) {
  const time = { now: 1_000, request: 400 };
  const own: { readonly socket: EventEmitter; readonly accepted: Socket; ended: number }[] = [];
  const queue = createAcceptQueue({
    clock: { monotonic: () => time.now },
    stallDetector: { requestTime: () => time.request },
    most,
    connect() {
      const localPort = 50_000 + own.length;
      const destroy = (): void => {
        mark.ended += 1;
      };
      const socket = Object.assign(new EventEmitter(), { localAddress: '127.0.0.1', localPort, destroy });
      const mark = { socket, accepted: { ...client, remotePort: localPort, destroy } as unknown as Socket, ended: 0 };
      own.push(mark);
      return socket as unknown as Socket;
    },
  });
  return { time, own, accepted: () => queue.accepted(client), queue };
}

test('of many that are accepted one after the other, the last one may have come with the first', async () => {
  const { time, accepted } = createQueue();
  const said: unknown[] = [];
  for (let n = 0; n < 50; n++) {
    said.push(accepted());
    time.now += 40;
    time.request = time.now;
    await turn();
  }
  expect(new Set(said)).toEqual(new Set([400]));
});

test('after a turn without any, nobody is left who may have waited', async () => {
  const { time, accepted } = createQueue();
  accepted();
  await turn();
  await turn();
  time.request = 990;
  expect(accepted()).toBe(990);
});

test('none waits longer than it takes to accept as many as the kernel keeps, however long they go on coming', async () => {
  const { time, accepted } = createQueue(3);
  const said: unknown[] = [];
  for (let n = 0; n < 6; n++) {
    said.push(accepted());
    time.now += 100;
    await turn();
  }
  expect(said).toEqual([400, 400, 400, 1_000, 1_100, 1_200]);
});

test('however long they go on coming, none came before a connection of the gateway that was accepted before it', async () => {
  const { time, own, accepted, queue } = createQueue();
  const said: unknown[] = [];
  for (let n = 0; n < 40; n++) {
    said.push(accepted());
    time.now += 10;
    // Nineteen are before its own one in the kernel.
    const mark = own.at(-1);
    if (mark !== undefined && n % 20 === 19) expect([queue.accepted(mark.accepted), mark.ended]).toEqual([undefined, 2]);
    await turn();
  }
  expect(said.slice(0, 20)).toEqual(Array(20).fill(400));
  expect(said.slice(20)).toEqual(Array(20).fill(1_000));
  expect(own).toHaveLength(2);
});

test('one of its own that came to nothing is followed by the next, and a client with its port elsewhere is a client', async () => {
  const { own, accepted, queue } = createQueue();
  accepted();
  expect(queue.accepted({ ...client, remoteAddress: '10.0.0.7', remotePort: 50_000 } as Socket)).toBe(400);
  expect(own[0]?.ended).toBe(0);
  own[0]?.socket.emit('error', new Error('refused'));
  own[0]?.socket.emit('close');
  accepted();
  expect(own).toHaveLength(2);
});
