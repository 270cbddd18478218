// The queues of one receiver over the feed of its account, which a test tells of events.
import type { Caller } from '../../src/domain/accounts/account.ts';
import type { Subscriber } from '../../src/domain/events/live-service.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../src/domain/records/record.ts';
import { createAccountFeed, type FeedListener } from '../../src/domain/webhooks/account-feed.ts';
import { type Delivery, type DeliveryEvent, type DeliveryType, isRecord, isStored } from '../../src/domain/webhooks/delivery.ts';
import { createDeliveryQueues, type DeliveryQueue } from '../../src/domain/webhooks/delivery-queues.ts';
import type { EventFilter } from '../../src/domain/webhooks/webhook.ts';

export const lockId = 7 as LockId;

/**
 * `newest`: the newest record at the beginning. Ids of events are "1", "2" and so on, of records "record-1". The log has what `readLog` yields
 * of the records above this one.
 */
export function createWaiting({
  newest = 0,
  wants = () => true,
  readLog = async function* () {},
}: {
  readonly newest?: number;
  readonly wants?: EventFilter;
  readonly readLog?: (above: number, isAsked: (lockId: LockId) => boolean) => AsyncIterable<readonly LockRecord[]>;
} = {}) {
  let subscriber: Subscriber | undefined;
  let place = 0;
  const log = { newest };
  const told = new Map<DeliveryEvent, Delivery>();
  const [evicted, missed]: [string[], string[]] = [[], []];
  const live = {
    subscribe(one: Subscriber) {
      subscriber = one;
      return () => undefined;
    },
    newestRecord: () => log.newest,
    recordsSince: (_: Caller, above: number, isAsked: (lockId: LockId) => boolean = () => true) => readLog(above, isAsked),
  };
  const caller = {} as Caller;
  const older = (id: string, type: DeliveryType, recordId: number, of: LockId = lockId): Delivery => {
    return { id, type, lockId: of, at: 0, recordId, place: 0, body: id };
  };
  /** Of a record that was read from the log. */
  function readOf(event: DeliveryEvent): Delivery {
    if (event.type !== 'record') throw new Error('nobody has told of it');
    return older(`record-${event.record.recordId}`, 'record', event.record.recordId, event.lockId);
  }
  const feed = createAccountFeed({ live, caller, deliveryOf: (event) => told.get(event) ?? readOf(event) });
  const listener: FeedListener = {
    heard(_event, delivery, ofLock) {
      if (!wants(delivery.type, delivery.lockId)) return;
      const queue = queues.begin(ofLock, delivery);
      if (isStored(delivery) && !isRecord(delivery)) evicted.push(...queues.add(queue, delivery).map(({ id }) => id));
    },
    missed: ({ id }) => void missed.push(id),
  };
  const queues = createDeliveryQueues({ live, caller, feed, listener, wants, position: newest });
  feed.join(listener);
  // There is nothing above the position, so it knows that at once.
  const caughtUp = queues.read();

  return {
    queues,
    evicted,
    missed,
    log,
    older,
    async read(): Promise<void> {
      await caughtUp;
      await queues.read();
    },
    /** The queue of a lock, which begins behind this record. */
    queueOf: queues.behind,
    /** Tells of an event; returns its id. */
    tell(type: DeliveryType, recordId: number, of: LockId | null = lockId, subject?: string): string {
      place += 1;
      const id = type === 'record' ? `record-${recordId}` : `${place}`;
      const event = { type, lockId: of } as DeliveryEvent;
      told.set(event, { id, type, lockId: of, at: 0, recordId, place, body: id, ...(subject && { subject }) });
      subscriber?.onEvent(event);
      return id;
    },
    /** Takes out of the queue what can be had without the log. */
    drain(queue: DeliveryQueue): string[] {
      const ids: string[] = [];
      for (let next = queues.next(queue); typeof next === 'object'; next = queues.next(queue)) {
        ids.push(next.id);
        queues.remove(next);
      }
      return ids;
    },
  };
}
