// What waits for a webhook, where the order of things matters more than a test with a whole gateway can show.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createDeliveryQueues, type Lane, type Lanes } from '../../../src/domain/webhooks/delivery-queues.ts';
import type { Delivery, WebhookEventType } from '../../../src/domain/webhooks/webhook.ts';

const lockId = 7 as LockId;

function delivery(id: string, type: WebhookEventType, recordId: number, at = 0): Delivery {
  return { id, type, lockId, at, recordId, body: id };
}
const record = (recordId: number): Delivery => delivery(`record-${recordId}`, 'record', recordId);
const addRecord = (lanes: Lanes, recordId: number): Lane => lanes.addRecord({ lockId, recordId }, () => record(recordId));

/** Takes out of the lane what can be had without the log. */
function drain(lanes: Lanes, lane: Lane): unknown[] {
  const ids: unknown[] = [];
  for (let next = lanes.first(lane); next !== undefined && !('log' in next); next = lanes.first(lane)) {
    ids.push(next.id);
    lanes.done(lane, next);
  }
  return ids;
}

describe('a lane', () => {
  test('gives records and all else in the order in which they happened, those in the log included', () => {
    const lanes = createDeliveryQueues();
    const lane = lanes.addBehind(lockId, 3);
    lanes.add(delivery('before', 'alarm', 3), undefined);
    lanes.add(delivery('between', 'alarm', 5), undefined);
    lanes.add(delivery('after', 'alarm', 9), undefined);
    expect(drain(lanes, lane)).toEqual(['before']);
    expect(lanes.first(lane)).toEqual({ log: 3 });
    lanes.read(lane, { records: [record(4), record(6)], upTo: 8, more: false });
    expect(drain(lanes, lane)).toEqual(['record-4', 'between', 'record-6', 'after']);
    expect(lanes.all()).toEqual([]);
  });

  test('reads again what was stored while the log was read', () => {
    const lanes = createDeliveryQueues();
    const lane = lanes.addBehind(lockId, 3);
    addRecord(lanes, 9);
    lanes.read(lane, { records: [record(4)], upTo: 8, more: false });
    expect(lanes.kept().behind).toEqual([{ lockId, done: 3 }]);
    expect(drain(lanes, lane)).toEqual(['record-4']);
    expect(lanes.first(lane)).toEqual({ log: 8 });
    expect(lanes.kept().behind).toEqual([{ lockId, done: 8 }]);
    lanes.read(lane, { records: [record(9)], upTo: 9, more: false });
    addRecord(lanes, 10);
    expect(drain(lanes, lane)).toEqual(['record-9', 'record-10']);
  });

  test('that is held back gives up its memory and nothing else', () => {
    const lanes = createDeliveryQueues();
    const lane = addRecord(lanes, 1);
    for (const recordId of [2, 3]) addRecord(lanes, recordId);
    lanes.holdBack(lane);
    expect(lanes.size()).toBe(1);
    addRecord(lanes, 4);
    expect(drain(lanes, lane)).toEqual(['record-1']);
    lanes.read(lane, { records: [record(2)], upTo: 2, more: false });
    expect(drain(lanes, lane)).toEqual(['record-2']);
    expect(lanes.first(lane)).toEqual({ log: 2 });
  });

  test('does not take back what is being sent', () => {
    const lanes = createDeliveryQueues();
    const { lane } = lanes.add(delivery('sent', 'state', 0), 'state 7');
    lane.isUnderWay = true;
    lanes.add(delivery('old', 'state', 0), 'state 7');
    lanes.add(delivery('new', 'state', 0), 'state 7');
    expect(drain(lanes, lane)).toEqual(['sent', 'new']);
  });
});

test('of too much the oldest gives way, of what is kept and of what is not each for itself', () => {
  const lanes = createDeliveryQueues();
  const gaveWay: (string | undefined)[] = [];
  for (let n = 0; n < 1_002; n++) {
    gaveWay.push(lanes.add(delivery(`alarm ${n}`, 'alarm', 0, n), undefined).gaveWay?.id);
    gaveWay.push(lanes.add(delivery(`state ${n}`, 'state', 0, n), `${n}`).gaveWay?.id);
  }
  expect(gaveWay.filter((id) => id !== undefined)).toEqual(['alarm 0', 'state 0', 'alarm 1', 'state 1']);
  expect(lanes.size()).toBe(2_000);
  for (let recordId = 1; recordId < 5_000; recordId++) addRecord(lanes, recordId);
  expect(lanes.size()).toBe(2_100);
  expect(lanes.kept().waiting).toHaveLength(1_000);
});
