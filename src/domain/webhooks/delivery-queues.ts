// The deliveries that wait for one receiver: a queue for each lock at which it is behind, in the order of its events. A queue holds only what
// the feed of the account does not: alarms, cards and revocations, and records that were read from the log.
import type { LockId } from '../locks/lock.ts';
import { type AccountFeed, type FeedListener, type LockFeed, recordsAtMost, recordsOfLockAtMost } from './account-feed.ts';
import { type Delivery, type DeliveryProgress, stored } from './delivery.ts';
import type { EventFilter } from './webhook.ts';

/** Limit of alarms, cards and revocations. */
const storedAtMost = 1_000;

export interface DeliveryQueue {
  readonly feed: LockFeed;
  /** Alarms, cards and revocations. */
  readonly stored: Delivery[];
  /** The next records, when the feed has them no more. */
  readonly loaded: Delivery[];
  /** Records up to this one are delivered, or loaded. */
  readTo: number;
  /** Of those events of which the latest is enough, the place of the last one that was delivered. */
  latestTo: number;
  /** Failed attempts of its first delivery. */
  attempts: number;
  sending: Delivery | undefined;
  isServed: boolean;
}

/** Where a queue begins that is made now. */
export type QueueBegin = Pick<DeliveryQueue, 'readTo' | 'latestTo'>;

export type DeliveryQueues = ReturnType<typeof createDeliveryQueues>;

/** The empty queues of one receiver: one for each lock, and one (null) for the gateway itself. */
export function createDeliveryQueues(options: {
  readonly feed: Pick<AccountFeed, 'release'>;
  readonly listener: FeedListener;
  readonly wants: EventFilter;
}) {
  const { feed: accountFeed, listener, wants } = options;
  const queues = new Map<LockId | null, DeliveryQueue>();
  /** Alarms, cards and revocations of all queues, oldest first. */
  const all = new Set<Delivery>();

  function nextRecord({ feed, loaded: [first], readTo }: DeliveryQueue): Delivery | 'unloaded' | undefined {
    if (first !== undefined) return first;
    if (readTo >= feed.newest || !wants('record', feed.lockId)) return undefined;
    return readTo < feed.recordsAfter ? 'unloaded' : feed.records.find(({ recordId }) => recordId > readTo);
  }
  function* latestOf({ feed, latestTo }: DeliveryQueue): Iterable<Delivery> {
    for (const one of feed.latest.values()) if (one.place > latestTo && wants(one.type, feed.lockId)) yield one;
  }
  /** The next one that is no record. */
  function nextOther(queue: DeliveryQueue): Delivery | undefined {
    const [first] = queue.stored;
    const [latest] = latestOf(queue);
    return first === undefined || (latest !== undefined && latest.place < first.place) ? latest : first;
  }
  /** The delivery to send next; `unloaded`: the log must be read first. */
  function next(queue: DeliveryQueue): Delivery | 'unloaded' | undefined {
    const record = nextRecord(queue);
    const other = nextOther(queue);
    if (record === undefined || other === undefined) return record ?? other;
    const isRecordFirst = record === 'unloaded' ? queue.readTo < other.recordId : record.recordId <= other.recordId;
    return isRecordFirst ? record : other;
  }
  function removeStored(delivery: Delivery): boolean {
    const waiting = queues.get(delivery.lockId)?.stored ?? [];
    if (waiting.includes(delivery)) waiting.splice(waiting.indexOf(delivery), 1);
    return all.delete(delivery);
  }

  return {
    next,
    /** This record, which is the next delivery, with the records after it in memory that may go with it. */
    batch(queue: DeliveryQueue, first: Delivery, atMost: number): readonly Delivery[] {
      if (atMost === 1) return [first];
      const { loaded, feed, readTo } = queue;
      const some = (loaded.length > 0 ? loaded : feed.records.filter(({ recordId }) => recordId > readTo)).slice(0, atMost);
      const last = some.findIndex(({ isLast }) => isLast === true);
      return last < 0 ? some : some.slice(0, last + 1);
    },
    /** The queue of a lock, which is made with this beginning when nothing of the lock waits. */
    of(feed: LockFeed, begin: QueueBegin): DeliveryQueue {
      const known = queues.get(feed.lockId);
      if (known !== undefined) return known;
      const made: DeliveryQueue = { feed, stored: [], loaded: [], ...begin, attempts: 0, sending: undefined, isServed: false };
      queues.set(feed.lockId, made);
      feed.busy.add(listener);
      return made;
    },
    /** Adds an alarm, a card or a revocation. Returns the delivery that had to be evicted for it, if any. */
    add(queue: DeliveryQueue, delivery: Delivery): Delivery | undefined {
      const isSending = (one: Delivery): boolean => queues.get(one.lockId)?.sending === one;
      const evicted = all.size >= storedAtMost ? [...all].find((one) => !isSending(one)) : undefined;
      if (evicted !== undefined) removeStored(evicted);
      queue.stored.push(delivery);
      all.add(delivery);
      return evicted;
    },
    /** Removes a delivery that was sent or given up. */
    remove(queue: DeliveryQueue, delivery: Delivery): void {
      if (delivery.type !== 'record') {
        if (!removeStored(delivery)) queue.latestTo = delivery.place;
      }
      // It may have been loaded while it was sent out of the feed.
      else if (queue.loaded[0]?.id === delivery.id) queue.loaded.shift();
      else queue.readTo = delivery.recordId;
    },
    /** Takes all loaded records but the first out of memory, because they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first, ...rest] = queue.loaded;
      if (first === undefined || rest.length === 0) return;
      queue.loaded.length = 1;
      queue.readTo = first.recordId;
    },
    /** Whether the queue has more deliveries; ends an empty queue. */
    hasMore(queue: DeliveryQueue): boolean {
      if (next(queue) !== undefined) return true;
      if (queues.get(queue.feed.lockId) === queue) {
        queues.delete(queue.feed.lockId);
        accountFeed.release(listener, queue.feed);
      }
      return false;
    },
    checkpoint(): Pick<DeliveryProgress, 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap((queue) => {
        const { feed, loaded, readTo } = queue;
        if (feed.lockId === null || nextRecord(queue) === undefined) return [];
        return [{ lockId: feed.lockId, done: loaded[0] === undefined ? readTo : loaded[0].recordId - 1 }];
      });
      return { behind, waiting: [...all].map(stored) };
    },
    /** Takes part in the feed no more; what waits stays readable. */
    end(): void {
      for (const { feed } of queues.values()) accountFeed.release(listener, feed);
    },
    all: (): readonly DeliveryQueue[] => [...queues.values()],
    /** How many records may be loaded at once, at least some. */
    room(): number {
      const loaded = [...queues.values()].reduce((sum, queue) => sum + queue.loaded.length, 0);
      return Math.max(recordsOfLockAtMost, recordsAtMost - loaded);
    },
    /** How many deliveries are in memory. */
    size(): number {
      return [...queues.values()].reduce((sum, queue) => {
        const records = wants('record', queue.feed.lockId) ? queue.feed.records.filter(({ recordId }) => recordId > queue.readTo) : [];
        return sum + queue.loaded.length + records.length + [...latestOf(queue)].length;
      }, all.size);
    },
  };
}
