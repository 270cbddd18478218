// Which client is taken for dead, and which is not (Protocol 6, MQTT 3.1.1 section 3.1.2.10).
import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeepAliveWatch } from '../../src/broker/keep-alive.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

let clock: ManualClock;
let turns: (() => void)[];
let watch: KeepAliveWatch;
beforeEach(() => {
  clock = createManualClock();
  turns = [];
  watch = new KeepAliveWatch({ clock, nextTick: (action) => turns.push(action) });
});

/** The turns of the event loop that are waited for now. */
function turn(): void {
  for (const action of turns.splice(0)) action();
}

/** The clock moves on, and what lies in the sockets is read in between. */
function live(ms: number): void {
  const stepMs = 5;
  for (let at = 0; at < ms; at += stepMs) {
    clock.advance(stepMs);
    while (turns.length > 0) turn();
  }
}

interface Client {
  bytesCome(): number;
  isHeldUp(): boolean;
  onSilent(): void;
  bytes: number;
  heldUp: boolean;
  silentAt: number | undefined;
  leave(): void;
}

function connected(keepAliveSeconds: number): Client {
  const client: Client = {
    ...{ bytes: 100, heldUp: false, silentAt: undefined },
    bytesCome: () => client.bytes,
    isHeldUp: () => client.heldUp,
    onSilent() {
      client.silentAt = clock.monotonic();
      client.leave();
    },
    leave: () => listening.leave(),
  };
  const listening = watch.watch(client, keepAliveSeconds);
  return client;
}

test.each([1, 2, 5, 60, 120])('who says nothing is silent after 1.5 keep alives of %i s, and at most a tenth later', (keepAlive) => {
  live(70);
  const client = connected(keepAlive);
  const from = clock.monotonic();
  live(150 * keepAlive + 1_500 * keepAlive + 130);
  expect(client.silentAt).toBeGreaterThanOrEqual(from + 1_500 * keepAlive);
  expect(clock.timers()).toBe(0);
});

test('the time counts from the last byte, whatever it was part of', () => {
  const client = connected(10);
  for (let count = 0; count < 20; count++) {
    live(14_000);
    client.bytes++;
  }
  const lastAt = clock.monotonic();
  live(14_900);
  expect(client.silentAt).toBeUndefined();
  live(1_300);
  expect(client.silentAt).toBeGreaterThanOrEqual(lastAt + 15_000);
});

test('a client that is not read lives: what has come of it cannot be known', () => {
  const client = connected(1);
  client.heldUp = true;
  live(60_000);
  expect(client.silentAt).toBeUndefined();
  client.heldUp = false;
  live(2_000);
  expect(client.silentAt).toBeDefined();
});

describe('a gateway that stood still', () => {
  test('counts nothing of that time, and hears first what was said meanwhile', () => {
    const [spoke, idle, dead] = [connected(1), connected(60), connected(1)];
    live(1_400);
    // As a process does that is stopped: the timer that was due comes at once afterwards, before anything is read.
    const { monotonic } = clock;
    let stoodStillMs = 600_000;
    clock.monotonic = () => monotonic() + stoodStillMs;
    clock.advance(125);
    expect(turns.length).toBe(1);
    spoke.bytes++;
    turn();
    expect([spoke.silentAt, idle.silentAt]).toEqual([undefined, undefined]);
    expect(dead.silentAt).toBeDefined();
    stoodStillMs *= 2;
    clock.advance(125);
    turn();
    expect([spoke.silentAt, idle.silentAt]).toEqual([undefined, undefined]);
  });
});

test('of many that fall silent at once, 64 are ended in a turn of the event loop', () => {
  const many = Array.from({ length: 200 }, () => connected(1));
  const ended = () => many.filter(({ silentAt }) => silentAt !== undefined).length;
  while (turns.length === 0) clock.advance(125);
  const counts = [ended()];
  for (let count = 0; count < 4; count++) {
    turn();
    clock.advance(125);
    counts.push(ended());
  }
  expect(counts).toEqual([0, 64, 128, 192, 200]);
});

test('a connection that has ended is not looked at any more, also between the two looks', () => {
  const [one, other] = [connected(1), connected(2)];
  while (turns.length === 0) clock.advance(125);
  one.leave();
  one.leave();
  turn();
  expect([one.silentAt, clock.timers()]).toEqual([undefined, 1]);
  other.leave();
  expect(clock.timers()).toBe(0);
  const next = connected(1);
  live(1_800);
  expect(next.silentAt).toBeDefined();
});

test('thousands cost one timer, and each is looked at some 16 times within its limit', () => {
  let looks = 0;
  const heard = {
    bytesCome: () => ++looks,
    isHeldUp: () => false,
    onSilent: () => {},
  };
  for (let count = 0; count < 1_000; count++) watch.watch(heard, 60);
  looks = 0;
  expect(clock.timers()).toBe(1);
  clock.advance(90_000);
  expect(looks / 1_000).toBeGreaterThan(14);
  expect(looks / 1_000).toBeLessThan(18);
});
