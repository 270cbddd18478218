// One publish on its way in: what aedes goes on with, and when it is acknowledged (Protocol 3 and 4.4, [MQTT-4.6.0-2]).
import { beforeEach, expect, test } from '@jest/globals';
import type { PublishRejection, Receipt } from '../../src/broker/client-handlers.ts';
import { behindEach, type InboundPacket, InboundPipeline, usualUnderWay } from '../../src/broker/inbound-pipeline.ts';
import { createManualClock, type ManualClock } from '../support/mqtt-clock.ts';

let clock: ManualClock;
let inbound: InboundPipeline;
let receive: (topic: string) => Receipt | Promise<Receipt> | PublishRejection;
let acknowledged: number[];
let failures: string[];
let heldBytes: number;

beforeEach(() => {
  clock = createManualClock();
  acknowledged = [];
  failures = [];
  heldBytes = 0;
  receive = () => 'acknowledge';
  const owner = {
    acknowledge: (messageIds: readonly number[]) => acknowledged.push(...messageIds),
    onPublishRejected: (reason: string) => failures.push(reason),
    onPublishFailed: (error: unknown) => failures.push((error as Error).message),
  };
  inbound = new InboundPipeline({ onPublish: (topic) => receive(topic) }, owner, { clock, timeoutMs: 1_000, hold });
});

function hold(bytes: number): () => void {
  heldBytes += bytes;
  return () => {
    heldBytes -= bytes;
  };
}

function take(topic: string, messageId: number, changes: Partial<InboundPacket> = {}) {
  const packet: InboundPacket = { topic, payload: '', messageId, qos: 1, retain: false, ...changes };
  const result = { packet, goesOn: 0, isTaken: false };
  result.isTaken = inbound.take(packet, () => void result.goesOn++);
  return result;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what is done at once is acknowledged at once', () => {
  const { packet, isTaken } = take('state', 1);
  expect([packet.qos, isTaken, acknowledged]).toEqual([0, true, [1]]);
});

test('what must be stored first is taken from aedes, which reads on, and is acknowledged later, in order', async () => {
  let store = (_receipt: Receipt) => {};
  receive = (topic) =>
    topic === 'events'
      ? new Promise((resolve) => {
          store = resolve;
        })
      : 'acknowledge';
  const first = take('events', 1);
  const second = take('reply', 2);
  expect([first.packet.qos, second.packet.qos, first.isTaken, second.isTaken]).toEqual([0, 0, true, true]);
  expect(acknowledged).toEqual([]);
  store('acknowledge');
  await settled();
  expect(acknowledged).toEqual([1, 2]);
  // The timer for all of them finds nothing to wait for, and is not set again.
  clock.advance(1_000);
  expect([failures, clock.timers()]).toEqual([[], 0]);
});

test('those with the same flush are answered as one, in their place among the others; each counts and holds its bytes until then', async () => {
  const store: ((receipt: Receipt) => void)[] = [];
  const wait = () => new Promise<Receipt>((resolve) => void store.push(resolve));
  const [one, other] = [wait(), wait()];
  for (const [messageId, receipt] of [one, one, other, 'acknowledge', one].entries()) {
    receive = () => receipt as Receipt | Promise<Receipt>;
    take('events', messageId + 1, { payload: Buffer.alloc(10) });
  }
  expect(heldBytes).toBe(40);
  store[0]?.('acknowledge');
  await settled();
  expect([acknowledged, heldBytes]).toEqual([[1, 2], 10]);
  store[1]?.('acknowledge');
  await settled();
  expect([acknowledged, heldBytes]).toEqual([[1, 2, 3, 4, 5], 0]);
  receive = wait;
  for (let messageId = 1; messageId <= usualUnderWay; messageId++) take('events', messageId);
  expect(failures).toEqual([]);
  take('events', 99);
  expect(failures).toEqual(['too-many-under-way']);
});

test('what is handled and waits behind an event for its PUBACK counts apart, and has a bound of its own; with QoS 2 it does not', async () => {
  const store: ((receipt: Receipt) => void)[] = [];
  const wait = () => new Promise<Receipt>((resolve) => void store.push(resolve));
  receive = (topic) => (topic === 'events' ? wait() : 'acknowledge');
  const most = behindEach * usualUnderWay;
  let messageId = 0;
  // A door that is used while the database is away: two events of three are under way at most, and replies and states go on.
  for (let uses = 0; uses < most / 2; uses++) {
    if (uses < 2) take('events', ++messageId);
    take('state', ++messageId);
    take('reply', ++messageId);
  }
  expect([failures, acknowledged]).toEqual([[], []]);
  store[1]?.('acknowledge');
  await settled();
  // The second event is handled now, and one beyond the bound.
  take('state', ++messageId);
  expect(failures).toEqual(['too-many-under-way']);
  store[0]?.('acknowledge');
  await settled();
  expect(acknowledged).toEqual(Array.from({ length: most + 2 }, (_, index) => index + 1));
  for (let count = 0; count < usualUnderWay - 1; count++) take('state', ++messageId, { qos: 2 });
  take('events', ++messageId);
  for (let count = 0; count < usualUnderWay - 1; count++) take('state', ++messageId, { qos: 2 });
  expect(failures).toHaveLength(1);
  take('reply', ++messageId);
  expect(failures).toHaveLength(2);
});

test('each has its own time, also behind others that were in time (Fault T15)', async () => {
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
  expect([failures, acknowledged]).toEqual([[], [1]]);
  clock.advance(1);
  expect([failures, acknowledged, clock.timers()]).toEqual([['not handled within 1000 ms'], [1], 0]);
});

test('what cannot be stored is not acknowledged, whatever its QoS, and holds up nothing (Protocol 4.4)', async () => {
  receive = (topic) => (topic === 'events' ? Promise.resolve('leave') : 'acknowledge');
  const once = take('events', 1);
  const exactlyOnce = take('events', 2, { qos: 2, retain: false });
  take('reply', 3);
  await settled();
  expect(acknowledged).toEqual([3]);
  expect([once.packet.qos, exactlyOnce.packet.qos, once.isTaken, exactlyOnce.goesOn]).toEqual([0, 0, true, 1]);
});

test('of a message with QoS 2 aedes has the handshake and not the payload: twenty of each lock wait for their PUBREL (Fault T12)', async () => {
  const result = take('events', 1, { qos: 2, payload: Buffer.alloc(60_000) });
  await settled();
  expect([result.goesOn, result.packet.qos, result.packet.payload.length]).toEqual([1, 2, 0]);
});

test('what takes too long fails once, and its late end is not acknowledged (Fault T15)', async () => {
  let store = (_receipt: Receipt) => {};
  receive = () =>
    new Promise((resolve) => {
      store = resolve;
    });
  take('events', 1);
  clock.advance(1_000);
  store('acknowledge');
  await settled();
  expect([failures, acknowledged]).toEqual([['not handled within 1000 ms'], []]);
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
  expect([failures, acknowledged]).toEqual([[], []]);
});

test('without a message id, so with QoS 0, nothing is acknowledged', async () => {
  receive = () => Promise.resolve('acknowledge');
  const { isTaken } = take('events', 0, { qos: 0 });
  await settled();
  expect([isTaken, acknowledged]).toEqual([true, []]);
});

test('an illegal message is rejected with the reason of the client handler, and one that cannot be handled ends all of them', () => {
  receive = () => ({ allow: false, reason: 'foreign-topic' });
  expect([take('other', 1).isTaken, failures]).toEqual([false, ['foreign-topic']]);
  receive = () => {
    throw new Error('a bug');
  };
  expect([take('state', 2).isTaken, failures[1]]).toEqual([false, 'a bug']);
  receive = () => 'acknowledge';
  expect([take('state', 3).isTaken, acknowledged, failures.length]).toEqual([false, [], 2]);
});

test.each([
  ['at once', 'acknowledge'],
  ['after a flush', Promise.resolve<Receipt>('acknowledge')],
] as const)('what aedes throws when it goes on %s ends that connection alone (Fault T15)', async (_when, receipt) => {
  receive = () => receipt;
  const goOn = () => {
    throw new Error('a bug of aedes');
  };
  inbound.take({ topic: 'events', payload: '', messageId: 1, qos: 2, retain: false }, goOn);
  take('state', 2);
  await settled();
  expect([failures, clock.timers()]).toEqual([['a bug of aedes'], 0]);
  expect(take('state', 3).isTaken).toBe(false);
});

test('a message whose handling ends the connection leaves no timer and no bytes behind', async () => {
  receive = () => {
    inbound.end();
    return Promise.resolve('acknowledge');
  };
  take('hello', 1, { payload: Buffer.alloc(10) });
  expect([heldBytes, clock.timers()]).toEqual([10, 0]);
  await settled();
  expect([heldBytes, acknowledged, failures]).toEqual([0, [], []]);
});
