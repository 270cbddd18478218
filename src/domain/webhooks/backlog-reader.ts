// Reads the records that queues do not have in memory from the record log: in one pass for all queues of a receiver, because the log mixes
// the records of all locks.
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import { recordsOfLockAtMost } from './account-feed.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryQueue, DeliveryQueues } from './delivery-queues.ts';

/** Resolves at the end of a pass. Rejects when the log cannot be read. */
export function createBacklogReader(options: {
  readonly queues: DeliveryQueues;
  readonly newestRecord: () => number;
  /** As LiveService.recordsSince. */
  readonly recordsSince: (recordId: number, wants: (lockId: LockId) => boolean) => AsyncIterable<readonly LockRecord[]>;
  readonly deliveryOf: (record: LockRecord) => Delivery;
}): () => Promise<void> {
  const { queues, newestRecord, recordsSince, deliveryOf } = options;
  let pass: Promise<void> | undefined;

  async function readAll(): Promise<void> {
    /** How far each queue was read. A queue that has come elsewhere so far was unloaded meanwhile, or has sent what its feed had. */
    const cursors = new Map<LockId | null, { readonly queue: DeliveryQueue; at: number }>();
    for (const queue of queues.all()) if (queues.next(queue) === 'unloaded') cursors.set(queue.feed.lockId, { queue, at: queue.readTo });
    const upTo = newestRecord();
    let room = queues.room();
    let readTo = Math.min(...[...cursors.values()].map(({ at }) => at));
    for await (const some of recordsSince(readTo, (lockId) => cursors.has(lockId))) {
      for (const record of some) {
        if (room === 0) break;
        readTo = record.recordId;
        const cursor = cursors.get(record.lockId);
        if (cursor === undefined || record.recordId <= cursor.at || cursor.queue.readTo !== cursor.at) continue;
        const { queue } = cursor;
        queue.loaded.push(deliveryOf(record));
        queue.readTo = record.recordId;
        cursor.at = record.recordId;
        room -= 1;
        // The queue has enough: another pass reads its next records.
        if (queue.loaded.length >= recordsOfLockAtMost) cursors.delete(record.lockId);
      }
      if (room === 0) break;
    }
    if (room > 0) readTo = upTo;
    for (const { queue, at } of cursors.values()) if (queue.readTo === at) queue.readTo = Math.max(at, readTo);
  }

  return () => {
    pass ??= readAll().finally(() => {
      pass = undefined;
    });
    return pass;
  };
}
