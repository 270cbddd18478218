// The queues of one receiver over the feed of its account, which a test tells of events.
import type { Caller } from '../../src/domain/accounts/account.ts';
import type { Subscriber } from '../../src/domain/events/live-service.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import { createAccountFeed, type FeedListener } from '../../src/domain/webhooks/account-feed.ts';
import { type Delivery, type DeliveryEvent, type DeliveryType, isStored } from '../../src/domain/webhooks/delivery.ts';
import { createDeliveryQueues, type DeliveryQueue } from '../../src/domain/webhooks/delivery-queues.ts';
import type { EventFilter } from '../../src/domain/webhooks/webhook.ts';

export const lockId = 7 as LockId;

/** `newest`: the newest record at the beginning. Ids of events are "1", "2" and so on, of records "record-1". */
export function createWaiting({ newest = 0, wants = () => true }: { readonly newest?: number; readonly wants?: EventFilter } = {}) {
  let subscriber: Subscriber | undefined;
  let place = 0;
  const told = new Map<DeliveryEvent, Delivery>();
  const [evicted, missed]: [string[], string[]] = [[], []];
  const live = {
    subscribe(one: Subscriber) {
      subscriber = one;
      return () => undefined;
    },
  };
  const feed = createAccountFeed({ live, caller: {} as Caller, deliveryOf: (event) => told.get(event) as Delivery });
  const listener: FeedListener = {
    heard(_event, delivery, ofLock) {
      if (!wants(delivery.type, delivery.lockId)) return;
      const isRecord = delivery.type === 'record';
      const queue = queues.of(ofLock, { readTo: delivery.recordId - (isRecord ? 1 : 0), latestTo: delivery.place - 1 });
      const gone = isStored(delivery) && !isRecord ? queues.add(queue, delivery) : undefined;
      if (gone !== undefined) evicted.push(gone.id);
    },
    missed: ({ id }) => void missed.push(id),
  };
  const queues = createDeliveryQueues({ feed, listener, wants });
  feed.join(listener);

  const older = (id: string, type: DeliveryType, recordId: number): Delivery => ({ id, type, lockId, at: 0, recordId, place: 0, body: id });
  return {
    queues,
    evicted,
    missed,
    older,
    /** The queue of a lock, which begins behind this record. */
    queueOf: (of: LockId, readTo: number): DeliveryQueue => queues.of(feed.of(of, newest), { readTo, latestTo: 0 }),
    /** Tells of an event; returns its id. */
    tell(type: DeliveryType, recordId: number, of: LockId | null = lockId, subject?: string): string {
      place += 1;
      const id = type === 'record' ? `record-${recordId}` : `${place}`;
      const event = { type, lockId: of } as DeliveryEvent;
      told.set(event, { id, type, lockId: of, at: 0, recordId, place, body: id, ...(subject && { subject }) });
      subscriber?.onEvent(event);
      return id;
    },
    /** As if read from the log. */
    load(queue: DeliveryQueue, recordId: number): void {
      queue.loaded.push(older(`record-${recordId}`, 'record', recordId));
      queue.readTo = recordId;
    },
    /** Takes out of the queue what can be had without the log. */
    drain(queue: DeliveryQueue): string[] {
      const ids: string[] = [];
      for (let next = queues.next(queue); typeof next === 'object'; next = queues.next(queue)) {
        ids.push(next.id);
        queues.remove(queue, next);
      }
      return ids;
    },
  };
}
