// PUBACKs on their way out, and readers that take none (Fault T14).
import { Duplex } from 'node:stream';
import { beforeEach, expect, test } from '@jest/globals';
import { WriteBuffer } from '../../src/broker/write-buffer.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

let clock: ManualClock;
let stream: Duplex;
let written: string[];
let take: (() => void)[];
let stuck: number;
let mayServe: boolean;
let buffer: WriteBuffer;

beforeEach(() => {
  clock = createManualClock();
  [written, take, stuck, mayServe] = [[], [], 0, true];
  stream = new Duplex({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, taken) {
      written.push(chunk.toString('hex'));
      take.push(taken);
    },
  });
  buffer = new WriteBuffer({ stream, mayServe: () => mayServe, onStuck: () => stuck++ }, { clock, flushSoon: () => {} });
});

/** So many bytes are written and not taken by the other side. */
function leaveUnread(bytes: number): void {
  stream.write(Buffer.alloc(bytes));
  written = [];
}

test('each is a PUBACK of its message, those of one turn leave in one write, and a reader that keeps up is not watched', () => {
  buffer.acknowledge([1]);
  buffer.acknowledge([258, 65_535]);
  expect(written).toEqual([]);
  buffer.flush();
  expect([written, clock.timers()]).toEqual([['400200014002010240' + '02ffff'], 0]);
});

test('a reader that falls behind and catches up within 5 s stays', async () => {
  leaveUnread(2_000);
  for (const messageId of [1, 2]) buffer.acknowledge([messageId]);
  buffer.flush();
  expect(clock.timers()).toBe(1);
  clock.advance(4_999);
  while (take.length > 0) {
    take.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(60_000);
  expect([stuck, clock.timers()]).toEqual([0, 0]);
});

test('a reader that takes nothing for 5 s is dropped, however little it is sent', () => {
  leaveUnread(1_025);
  buffer.acknowledge([1]);
  buffer.flush();
  clock.advance(4_999);
  expect(stuck).toBe(0);
  clock.advance(1);
  expect(stuck).toBe(1);
});

test('a reader with 64 KiB unread is dropped at once', () => {
  leaveUnread(65_536);
  buffer.acknowledge([1]);
  expect(stuck).toBe(0);
  buffer.acknowledge([2]);
  expect(stuck).toBe(1);
});

test('nothing is watched any more when the connection has ended, and nothing is written', () => {
  leaveUnread(2_000);
  buffer.acknowledge([1]);
  buffer.end();
  stream.destroy();
  buffer.flush();
  clock.advance(60_000);
  expect([stuck, written, clock.timers()]).toEqual([0, [], 0]);
});
