import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import { createBacklogReader } from '../../../src/domain/webhooks/backlog-reader.ts';
import type { Delivery } from '../../../src/domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../../../src/domain/webhooks/delivery-queues.ts';
import { createWaiting } from '../../support/waiting.ts';

const deliveryOf = ({ recordId, lockId }: Pick<LockRecord, 'recordId' | 'lockId'>): Delivery => {
  return { id: `record-${recordId}`, type: 'record', lockId, at: 0, recordId, place: 0, body: '' };
};

/** A log in which record n is of lock n % locks + 1; `onRead` is called between two of its records. */
function logOf(records: number, locks: number, onRead: (recordId: number) => void = () => undefined) {
  const log = { newest: records, passes: [] as number[] };
  const { queues, queueOf, tell, drain } = createWaiting({ newest: records });
  const read = createBacklogReader({
    ...{ queues, deliveryOf },
    newestRecord: () => log.newest,
    async *recordsSince(after, wants) {
      log.passes.push(after);
      for (let recordId = after + 1; recordId <= log.newest; recordId++) {
        const lockId = ((recordId % locks) + 1) as LockId;
        if (wants(lockId)) yield [{ recordId, lockId } as LockRecord];
        onRead(recordId);
      }
    },
  });
  /** The queues of locks 1 to so many, each with records in the log above `done`. */
  const behind = (count: number, doneOf: (place: number) => number): DeliveryQueue[] =>
    Array.from({ length: count }, (_, n) => queueOf((n + 1) as LockId, doneOf(n)));
  const idsOf = (queue: DeliveryQueue): number[] => drain(queue).map((id) => Number(id.replace('record-', '')));
  return { log, queues, tell, read, behind, drain: idsOf };
}

/** The records above `after` of the lock at this place. */
const expectedOf = (place: number, locks: number, after: number, upTo: number): number[] =>
  Array.from({ length: upTo - after }, (_, n) => after + 1 + n).filter((recordId) => recordId % locks === place);

describe('what many queues need from the log', () => {
  test('is read once for all of them, whoever asks', async () => {
    const { log, queues, read, behind, drain } = logOf(400, 50);
    const all = behind(50, (place) => place);
    await Promise.all(all.map(read));
    expect(log.passes).toEqual([0]);
    for (const [place, queue] of all.entries()) expect(drain(queue)).toEqual(expectedOf(place, 50, place, 400));
    expect(all.some(queues.hasMore)).toBe(false);
    expect(queues.all()).toEqual([]);
  });

  test('comes some at a time when it is much: nothing is left out, nothing comes twice', async () => {
    const { log, queues, read, behind, drain } = logOf(7_000, 3);
    const all = behind(3, () => 10);
    const got: number[][] = [[], [], []];
    while (all.some(queues.hasMore)) {
      await read();
      expect(queues.size()).toBeLessThanOrEqual(1_100);
      for (const [place, queue] of all.entries()) got[place]?.push(...drain(queue));
    }
    for (const place of [0, 1, 2]) expect(got[place]).toEqual(expectedOf(place, 3, 10, 7_000));
    expect(log.passes.length).toBeLessThan(30);
  });

  test('has no hole when a queue is unloaded, or gives up records, in the middle of a pass', async () => {
    const got: number[] = [];
    const { queues, read, behind } = logOf(1_000, 2, (recordId) => {
      const [queue] = all;
      if (queue === undefined) return;
      const [first] = queue.loaded;
      if (recordId % 50 === 0 && first !== undefined) {
        got.push(first.recordId);
        queues.remove(queue, first);
      }
      if (recordId % 130 === 0) queues.unload(queue);
    });
    const all = behind(2, () => 0);
    const [queue] = all as [DeliveryQueue, DeliveryQueue];
    for (let passes = 0; queues.hasMore(queue); passes++) {
      expect(passes).toBeLessThan(1_000);
      await read();
      const next = queues.next(queue);
      if (typeof next !== 'object') continue;
      got.push(next.recordId);
      queues.remove(queue, next);
    }
    expect(got).toEqual(expectedOf(0, 2, 0, 1_000));
  });

  test('includes what is stored during a pass, in that pass or in the next', async () => {
    let isStored = false;
    const { log, queues, tell, read, behind, drain } = logOf(20, 2, (recordId) => {
      if (recordId < 15 || isStored) return;
      isStored = true;
      // Heard of while the pass is under way, which was asked for what came before.
      for (const newest of [21, 22]) tell('record', newest, ((newest % 2) + 1) as LockId);
      log.newest = 20;
    });
    const [queue] = behind(2, () => 0) as [DeliveryQueue];
    await read();
    // What came meanwhile is in the feed.
    expect(drain(queue)).toEqual(expectedOf(0, 2, 0, 22));
    expect([log.passes, queues.hasMore(queue)]).toEqual([[0], false]);
  });

  test('is read again after the log could not be read', async () => {
    let isBroken = true;
    const { queues, read, behind, drain } = logOf(10, 1, (recordId) => {
      if (recordId === 4 && isBroken) throw new Error('EIO');
    });
    const [queue] = behind(1, () => 0) as [DeliveryQueue];
    await expect(read()).rejects.toThrow('EIO');
    isBroken = false;
    const got = drain(queue);
    expect(queues.next(queue)).toBe('unloaded');
    await read();
    expect([...got, ...drain(queue)]).toEqual(expectedOf(0, 1, 0, 10));
  });
});
