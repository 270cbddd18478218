// What waits for a receiver, where the order of things matters more than a test with a whole gateway can show.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { Delivery, DeliveryType } from '../../../src/domain/webhooks/delivery.ts';
import { createDeliveryQueues, type DeliveryQueue, type DeliveryQueues, nextIn } from '../../../src/domain/webhooks/delivery-queues.ts';

const lockId = 7 as LockId;

function delivery(id: string, type: DeliveryType, recordId: number, of: LockId | null = lockId): Delivery {
  return { id, type, lockId: of, at: 0, recordId, body: id };
}
const record = (recordId: number): Delivery => delivery(`record-${recordId}`, 'record', recordId);
function addRecord(queues: DeliveryQueues, recordId: number): DeliveryQueue {
  const queue = queues.of(lockId);
  queues.addRecord(queue, record(recordId));
  return queue;
}

/** Takes out of the queue what can be had without the log. */
function drain(queues: DeliveryQueues, queue: DeliveryQueue): string[] {
  const ids: string[] = [];
  for (let next = nextIn(queue); next !== undefined && next !== 'unloaded'; next = nextIn(queue)) {
    ids.push(next.id);
    queues.remove(next);
  }
  return ids;
}
const addOther = (queues: DeliveryQueues, one: Delivery) => queues.addOther(queues.of(one.lockId), one);
const ids = (deliveries: readonly Delivery[]): string[] => deliveries.map(({ id }) => id);

describe('a queue', () => {
  test('gives records and all else in the order in which they happened, those in the log included', () => {
    const queues = createDeliveryQueues();
    const waiting = [delivery('before', 'alarm', 3), delivery('between', 'alarm', 5), delivery('after', 'alarm', 9)];
    queues.restore({ behind: [{ lockId, done: 3 }], waiting });
    const [queue] = queues.all() as [DeliveryQueue];
    expect(drain(queues, queue)).toEqual(['before']);
    expect(nextIn(queue)).toBe('unloaded');
    for (const recordId of [4, 6]) queues.load(queue, record(recordId));
    queue.unloadedAfter = undefined;
    expect(drain(queues, queue)).toEqual(['record-4', 'between', 'record-6', 'after']);
    expect(queues.hasMore(queue)).toBe(false);
    expect(queues.all()).toEqual([]);
  });

  test('has after a checkpoint the deliveries that it had left', () => {
    const queues = createDeliveryQueues();
    addRecord(queues, 4);
    addRecord(queues, 6);
    for (const [id, type] of [
      ['alarm', 'alarm'],
      ['state', 'state'],
    ] as const)
      addOther(queues, delivery(id, type, 6));
    addOther(queues, delivery('of the gateway', 'alarm', 6, null));
    const { behind, waiting } = queues.checkpoint();
    expect(behind).toEqual([{ lockId, done: 3 }]);
    expect(ids(waiting)).toEqual(['alarm', 'of the gateway']);
    const next = createDeliveryQueues();
    next.restore({ behind, waiting });
    expect(next.checkpoint()).toEqual({ behind, waiting });
  });

  test('that is unloaded gives up its memory and nothing else', () => {
    const queues = createDeliveryQueues();
    const queue = addRecord(queues, 1);
    for (const recordId of [2, 3]) addRecord(queues, recordId);
    queues.unload(queue);
    expect(queues.size()).toBe(1);
    addRecord(queues, 4);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 0 }]);
    expect(drain(queues, queue)).toEqual(['record-1']);
    expect([nextIn(queue), queue.unloadedAfter]).toEqual(['unloaded', 1]);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 1 }]);
  });

  test('that fails takes no more records into memory', () => {
    const queues = createDeliveryQueues();
    const queue = addRecord(queues, 1);
    queue.attempts = 1;
    addRecord(queues, 2);
    expect([queues.size(), queue.unloadedAfter]).toEqual([1, 1]);
  });

  test('replaces what says how something was, but not while that is being sent', () => {
    const queues = createDeliveryQueues();
    addOther(queues, delivery('sent', 'state', 0));
    const queue = queues.of(lockId);
    queue.sending = queue.deliveries[0];
    for (const id of ['old', 'new']) addOther(queues, delivery(id, 'state', 0));
    for (const id of ['level', 'new level']) addOther(queues, delivery(id, 'battery', 0));
    for (const id of ['added', 'changed']) addOther(queues, delivery(id, 'card', 0));
    expect(drain(queues, queue)).toEqual(['sent', 'new', 'new level', 'added', 'changed']);
    expect(queues.size()).toBe(0);
  });

  test('replaces news of a card or passcode only by news of the same one', () => {
    const queues = createDeliveryQueues();
    const about = (id: string, subject: string): Delivery => ({ ...delivery(id, 'entry', 0), subject });
    for (const one of [about('a', 'entry 1'), about('b', 'entry 2'), about('a, later', 'entry 1')]) addOther(queues, one);
    expect(drain(queues, queues.of(lockId))).toEqual(['b', 'a, later']);
  });
});

test('of too much the oldest is evicted, of what is stored and of what is not each for itself, and never what is being sent', () => {
  const queues = createDeliveryQueues();
  const evicted: (string | undefined)[] = [];
  for (let n = 0; n < 1_003; n++) {
    const queue = queues.of((n + 1) as LockId);
    addOther(queues, delivery(`state ${n}`, 'state', 0, queue.lockId));
    if (n === 0) queue.sending = queue.deliveries[0];
    evicted.push(addOther(queues, delivery(`alarm ${n}`, 'alarm', 0, queue.lockId))?.id);
  }
  expect(evicted.filter((id) => id !== undefined)).toEqual(['alarm 0', 'alarm 1', 'alarm 2']);
  expect(queues.size()).toBe(2_000);
  const states = queues.all().flatMap(({ deliveries }) => ids(deliveries).filter((id) => id.startsWith('state')));
  expect([states[0], states[1], states.length]).toEqual(['state 0', 'state 4', 1_000]);
  for (let recordId = 1; recordId < 5_000; recordId++) addRecord(queues, recordId);
  // Those of this lock are 100 with its state and its alarm.
  expect(queues.size()).toBe(2_098);
  expect(queues.checkpoint().waiting).toHaveLength(1_000);
});
