// PUBACKs on their way out, and readers that take none (T14).
import { beforeEach, expect, test } from '@jest/globals';
import { Acknowledgements } from '../../src/broker/puback-writer.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

let clock: ManualClock;
let unread: number;
let written: { packet: string; whenTaken: (() => void) | undefined }[];
let stuck: number;
let acknowledgements: Acknowledgements;

beforeEach(() => {
  clock = createManualClock();
  [unread, written, stuck] = [0, [], 0];
  const transport = {
    write: (packet: Buffer, whenTaken?: () => void) => void written.push({ packet: packet.toString('hex'), whenTaken }),
    unreadBytes: () => unread,
  };
  acknowledgements = new Acknowledgements(transport, clock, { onStuck: () => stuck++ });
});

test('each is a PUBACK of its message, and a reader that keeps up is not watched', () => {
  acknowledgements.send([1]);
  acknowledgements.send([258, 65_535]);
  expect(written.map(({ packet }) => packet)).toEqual(['40020001', '400201024002ffff']);
  expect(clock.timers()).toBe(0);
});

test('a reader that falls behind and catches up within 5 s stays', () => {
  unread = 2_000;
  for (const messageId of [1, 2]) acknowledgements.send([messageId]);
  expect(clock.timers()).toBe(1);
  clock.advance(4_999);
  written[0]?.whenTaken?.();
  clock.advance(60_000);
  expect([stuck, clock.timers()]).toEqual([0, 0]);
});

test('a reader that takes nothing for 5 s is dropped, however little it is sent', () => {
  unread = 1_025;
  acknowledgements.send([1]);
  clock.advance(5_000);
  expect(stuck).toBe(1);
});

test('a reader with 64 KiB unread is dropped at once', () => {
  unread = 65_537;
  acknowledgements.send([1]);
  expect(stuck).toBe(1);
});

test('nothing is watched any more when the connection has ended', () => {
  unread = 2_000;
  acknowledgements.send([1]);
  acknowledgements.end();
  clock.advance(60_000);
  expect([stuck, clock.timers()]).toEqual([0, 0]);
});
