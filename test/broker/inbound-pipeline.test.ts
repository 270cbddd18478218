// One publish on its way in: what the broker goes on with, and when it is acknowledged (Protocol 3 and 4.4, MQTT-4.6.0-2).
import { beforeEach, expect, test } from '@jest/globals';
import type { Receipt } from '../../src/broker/client-handlers.ts';
import { Inbound, type InboundOwner, type InboundPacket, usualUnderWay } from '../../src/broker/inbound-pipeline.ts';
import { decidePublish } from '../../src/drivers/native/access.ts';
import type { ReportChannel } from '../../src/drivers/native/topics.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';
import { lockA } from '../support/mqtt-fakes.ts';
import { topics } from '../support/mqtt-gateway.ts';

let clock: ManualClock;
let inbound: Inbound;
let receive: (channel: ReportChannel) => Receipt | Promise<Receipt>;
let acknowledged: number[];
let trouble: string[];
let held: number;

beforeEach(() => {
  clock = createManualClock();
  acknowledged = [];
  trouble = [];
  held = 0;
  receive = () => 'acknowledge';
  const owner: InboundOwner = {
    acknowledge: (messageIds) => acknowledged.push(...messageIds),
    open(topic) {
      const decision = decidePublish(lockA, topic, topics);
      return decision.allow ? { ...decision, receive: () => receive(decision.channel) } : decision;
    },
    maxUnderWay: () => usualUnderWay,
    onRefused: (reason) => trouble.push(reason),
    onFailed: (error) => trouble.push((error as Error).message),
  };
  inbound = new Inbound(owner, { clock, timeoutMs: 1_000, hold });
});

function hold(bytes: number): () => void {
  held += bytes;
  return () => {
    held -= bytes;
  };
}

function take(channel: ReportChannel, messageId: number, changes: Partial<InboundPacket> = {}) {
  const packet: InboundPacket = { topic: topics.build(lockA.deviceId, channel), payload: '', messageId, qos: 1, retain: true, ...changes };
  const calls: (Error | undefined)[] = [];
  inbound.take(packet, (error) => calls.push(error));
  return { packet, calls };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the retain flag stays on status and is taken off everything else (Protocol 3)', () => {
  expect(take('status', 1).packet.retain).toBe(true);
  for (const channel of ['hello', 'state', 'battery', 'events', 'reply'] as const) expect(take(channel, 2).packet.retain).toBe(false);
});

test('what is done at once is acknowledged at once', () => {
  const { packet, calls } = take('state', 1);
  expect([packet.qos, calls, acknowledged]).toEqual([0, [undefined], [1]]);
});

test('what must be stored first is taken from the broker, which reads on, and is acknowledged later, in order', async () => {
  let store = (_receipt: Receipt) => {};
  receive = (channel) =>
    channel === 'events'
      ? new Promise((resolve) => {
          store = resolve;
        })
      : 'acknowledge';
  const first = take('events', 1);
  const second = take('reply', 2);
  expect([first.packet.qos, second.packet.qos, first.calls, second.calls]).toEqual([0, 0, [undefined], [undefined]]);
  expect(acknowledged).toEqual([]);
  store('acknowledge');
  await settled();
  expect(acknowledged).toEqual([1, 2]);
  // The timer for all of them finds nothing to wait for, and is not set again.
  clock.advance(1_000);
  expect([trouble, clock.timers()]).toEqual([[], 0]);
});

test('those with the same flush are answered as one, in their place among the others; each counts and holds its bytes until then', async () => {
  const store: ((receipt: Receipt) => void)[] = [];
  const wait = () => new Promise<Receipt>((resolve) => void store.push(resolve));
  const [one, other] = [wait(), wait()];
  for (const [messageId, receipt] of [one, one, other, 'acknowledge', one].entries()) {
    receive = () => receipt as Receipt | Promise<Receipt>;
    take('events', messageId + 1, { payload: Buffer.alloc(10) });
  }
  expect(held).toBe(40);
  store[0]?.('acknowledge');
  await settled();
  expect([acknowledged, held]).toEqual([[1, 2], 10]);
  store[1]?.('acknowledge');
  await settled();
  expect([acknowledged, held]).toEqual([[1, 2, 3, 4, 5], 0]);
  receive = wait;
  for (let messageId = 1; messageId <= usualUnderWay; messageId++) take('events', messageId);
  expect(trouble).toEqual([]);
  take('events', 99);
  expect(trouble).toEqual(['too-many-under-way']);
});

test('each has its own time, also behind others that were in time (T15)', async () => {
  const store: ((receipt: Receipt) => void)[] = [];
  receive = () => new Promise((resolve) => void store.push(resolve));
  for (const messageId of [1, 2, 3]) {
    take('events', messageId);
    clock.advance(300);
  }
  store[0]?.('acknowledge');
  // Done in time, though the one before it is not.
  store[2]?.('acknowledge');
  await settled();
  clock.advance(399);
  expect([trouble, acknowledged]).toEqual([[], [1]]);
  clock.advance(1);
  expect([trouble, acknowledged, clock.timers()]).toEqual([['not handled within 1000 ms'], [1], 0]);
});

test('what cannot be stored is not acknowledged, whatever its QoS, and holds up nothing (Protocol 4.4)', async () => {
  receive = (channel) => (channel === 'events' ? Promise.resolve('leave') : 'acknowledge');
  const once = take('events', 1);
  const exactlyOnce = take('events', 2, { qos: 2 });
  take('reply', 3);
  await settled();
  expect(acknowledged).toEqual([3]);
  expect([once.packet.qos, exactlyOnce.packet.qos, once.calls, exactlyOnce.calls]).toEqual([0, 0, [undefined], [undefined]]);
});

test('of a message with QoS 2 the broker keeps the handshake and not the payload: twenty of each lock wait for their PUBREL (T12)', async () => {
  const { packet, calls } = take('events', 1, { qos: 2, payload: Buffer.alloc(60_000) });
  await settled();
  expect([calls, packet.qos, packet.payload.length]).toEqual([[undefined], 2, 0]);
});

test('what takes too long fails once, and its late end is not acknowledged (T15)', async () => {
  let store = (_receipt: Receipt) => {};
  receive = () =>
    new Promise((resolve) => {
      store = resolve;
    });
  take('events', 1);
  clock.advance(1_000);
  store('acknowledge');
  await settled();
  expect([trouble, acknowledged]).toEqual([['not handled within 1000 ms'], []]);
});

test('after the end of the connection nothing is acknowledged and no timer is left', async () => {
  let store = (_receipt: Receipt) => {};
  receive = () =>
    new Promise((resolve) => {
      store = resolve;
    });
  take('events', 1);
  inbound.end();
  expect(clock.timers()).toBe(0);
  store('acknowledge');
  await settled();
  expect([trouble, acknowledged]).toEqual([[], []]);
});

test('without a message id, so with QoS 0, nothing is acknowledged', async () => {
  receive = () => Promise.resolve('acknowledge');
  const { calls } = take('events', 0, { qos: 0 });
  await settled();
  expect([calls, acknowledged]).toEqual([[undefined], []]);
});
