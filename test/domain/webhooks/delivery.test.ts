import { expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import { createDeliveries, type DeliveryEvent } from '../../../src/domain/webhooks/delivery.ts';

const lockId = 7 as LockId;

function createWorld() {
  const rendered: string[] = [];
  let given = 0;
  const deliveryOf = createDeliveries({
    now: () => 1_000,
    newestRecord: () => 41,
    newId: () => `x-${++given}`,
    render({ type }, { id, at }) {
      rendered.push(id);
      return `${type} ${id} ${at}`;
    },
  });
  return { rendered, deliveryOf };
}

test('the body of an event is made once for all receivers, and not before it is needed', () => {
  const { rendered, deliveryOf } = createWorld();
  const event: DeliveryEvent = { type: 'online', lockId, online: true };
  const all = Array.from({ length: 50 }, () => deliveryOf(event));
  expect(rendered).toEqual([]);
  expect(new Set(all.map(({ id, body }) => `${id}: ${body}`))).toEqual(new Set(['x-1: online x-1 1000']));
  expect(rendered).toEqual(['x-1']);
  expect({ ...all[0] }).toEqual({
    id: 'x-1',
    type: 'online',
    lockId,
    at: 1_000,
    recordId: 41,
    place: 1,
    body: 'online x-1 1000',
  });
  expect(deliveryOf({ ...event }).id).toBe('x-2');
});

test('a record has the same delivery id at each delivery, and its own time', () => {
  const { deliveryOf } = createWorld();
  const record = { recordId: 12, lockId, serverDate: 500 } as LockRecord;
  for (const _ of [1, 2]) expect(deliveryOf({ type: 'record', lockId, record })).toMatchObject({ id: 'record-12', at: 500, recordId: 12 });
});
