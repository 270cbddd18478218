// What happens at the locks of one account, kept once for all its webhooks. A receiver that has something of a lock left to send finds there
// later what came meanwhile, so an event costs nothing for each receiver that is slower than the doors.
import type { Caller } from '../accounts/account.ts';
import type { LiveEvent } from '../events/live-event.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockId } from '../locks/lock.ts';
import { type Delivery, type DeliveryEvent, isDeliverable, isRecord, isStored } from './delivery.ts';

/** Limits of records in memory: of one lock, and of all locks of the account. The others are read from the record log. */
export const recordsOfLockAtMost = 100;
export const recordsAtMost = 1_000;
/** Limit of events of which the latest is enough. */
const latestAtMost = 1_000;

/** What happened at one lock since a receiver is behind there. */
export interface LockFeed {
  /** null: the gateway itself. */
  readonly lockId: LockId | null;
  /** No record of this lock is newer. */
  newest: number;
  /** In order: all its records above `recordsAfter`, and of those events of which the latest is enough the latest of each subject. */
  readonly deliveries: Delivery[];
  recordsAfter: number;
  /** Those who have something of this lock left to send. They look here by themselves. */
  readonly busy: Set<FeedListener>;
}

export interface FeedListener {
  /** Gets every event that must be stored, and the others only when it is not busy with their lock. Must not throw. */
  heard(event: DeliveryEvent, delivery: Delivery, feed: LockFeed): void;
  /** This event gave way to newer ones, and the listener may not have sent it. Must not throw. */
  missed(delivery: Delivery): void;
}

export type AccountFeed = ReturnType<typeof createAccountFeed>;

export function createAccountFeed(options: {
  readonly live: Pick<LiveService, 'subscribe'>;
  readonly caller: Caller;
  /** Returns the same delivery for each account that gets an event. */
  readonly deliveryOf: (event: DeliveryEvent) => Delivery;
}) {
  const { live, caller, deliveryOf } = options;
  const listeners = new Set<FeedListener>();
  const feeds = new Map<LockId | null, LockFeed>();
  /** What all feeds have, oldest first. */
  const records = new Set<Delivery>();
  const latest = new Set<Delivery>();
  let unsubscribe = (): void => undefined;

  /** `after`: the account has heard of all records up to this one. */
  function of(lockId: LockId | null, after: number): LockFeed {
    const known = feeds.get(lockId);
    if (known !== undefined) return known;
    const made: LockFeed = { lockId, newest: after, deliveries: [], recordsAfter: after, busy: new Set() };
    feeds.set(lockId, made);
    return made;
  }
  /** When nobody is behind at the lock any more, nobody needs what happened there. */
  function forgetUnlessBusy(feed: LockFeed): void {
    if (feed.busy.size > 0 || feeds.get(feed.lockId) !== feed) return;
    feeds.delete(feed.lockId);
    for (const delivery of feed.deliveries) (isRecord(delivery) ? records : latest).delete(delivery);
  }
  function keepRecord(feed: LockFeed, record: Delivery): void {
    feed.newest = record.recordId;
    feed.deliveries.push(record);
    records.add(record);
    const ofLock = feed.deliveries.filter(isRecord);
    const [oldest] = records;
    if (ofLock.length > recordsOfLockAtMost) drop(ofLock[0]);
    else if (records.size > recordsAtMost) drop(oldest);
  }
  function keepLatest(feed: LockFeed, delivery: Delivery): void {
    drop(feed.deliveries.find((one) => !isRecord(one) && subjectIn(one) === subjectIn(delivery)));
    feed.deliveries.push(delivery);
    latest.add(delivery);
    const [oldest] = latest;
    if (latest.size <= latestAtMost || oldest === undefined) return;
    for (const listener of feeds.get(oldest.lockId)?.busy ?? []) listener.missed(oldest);
    drop(oldest);
  }
  function drop(delivery: Delivery | undefined): void {
    const feed = delivery && feeds.get(delivery.lockId);
    if (delivery === undefined || feed === undefined) return;
    feed.deliveries.splice(feed.deliveries.indexOf(delivery), 1);
    if (isRecord(delivery)) feed.recordsAfter = delivery.recordId;
    for (const all of [records, latest]) all.delete(delivery);
  }
  function tell(event: DeliveryEvent, to: ReadonlySet<FeedListener>): void {
    const delivery = deliveryOf(event);
    const feed = of(event.lockId, recordBefore(delivery));
    if (isRecord(delivery)) keepRecord(feed, delivery);
    else if (!isStored(event)) keepLatest(feed, delivery);
    if (isStored(event) && !isRecord(delivery)) for (const listener of to) listener.heard(event, delivery, feed);
    else if (feed.busy.size < to.size) for (const listener of to) if (!feed.busy.has(listener)) listener.heard(event, delivery, feed);
    forgetUnlessBusy(feed);
  }

  return {
    deliveryOf,
    /** Tells the listener from now on. */
    join(listener: FeedListener): void {
      const onEvent = (event: LiveEvent): void => {
        if (isDeliverable(event)) tell(event, listeners);
      };
      // The code that started the listener stops it when its account ends.
      if (listeners.size === 0) unsubscribe = live.subscribe({ caller, onEvent, accountChanged: () => undefined });
      listeners.add(listener);
    },
    leave(listener: FeedListener): void {
      listeners.delete(listener);
      if (listeners.size === 0) unsubscribe();
    },
    of,
    /** Tells one listener alone of an event that must be stored. */
    tellOne: (listener: FeedListener, event: DeliveryEvent): void => tell(event, new Set([listener])),
    /** The listener is not busy with the lock any more. */
    release(listener: FeedListener, feed: LockFeed): void {
      feed.busy.delete(listener);
      forgetUnlessBusy(feed);
    },
  };
}

/** The newest record before it. */
export function recordBefore({ type, recordId }: Delivery): number {
  return type === 'record' ? recordId - 1 : recordId;
}

function subjectIn({ type, subject }: Delivery): string {
  return subject ?? type;
}
