// What waits for one receiver: a queue for each lock at which it is behind, in the order of its events. Of records a queue is a cursor. The
// feed of the account has the newest ones, the record log all; because that mixes the records of all locks, one pass reads for all queues.
import type { Caller } from '../accounts/account.ts';
import type { LiveService } from '../events/live-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import { type AccountFeed, type FeedListener, type LockFeed, recordBefore, recordsAtMost, recordsOfLockAtMost } from './account-feed.ts';
import { type Delivery, type DeliveryProgress, isRecord, stored } from './delivery.ts';
import type { EventFilter } from './webhook.ts';

/** Limit of alarms, cards and revocations. */
const storedAtMost = 1_000;

export interface DeliveryQueue {
  readonly feed: LockFeed;
  /** What the feed does not have, in order: alarms, cards and revocations, and the next records when it has them no more. */
  own: Delivery[];
  /** Records up to this one are delivered, or its own. */
  readTo: number;
  /** Of those events of which the latest is enough, the place of the last one that was delivered. */
  latestTo: number;
  /** Failed attempts of its first delivery. */
  attempts: number;
  sending: Delivery | undefined;
  /** The pass under way brings its next records. */
  isReading: boolean;
}

/** The queues of one receiver: one for each lock, and one (null) for the gateway itself. Records up to `position` are done. */
export function createDeliveryQueues(options: {
  readonly live: Pick<LiveService, 'newestRecord' | 'recordsSince'>;
  readonly caller: Caller;
  readonly feed: Pick<AccountFeed, 'of' | 'release' | 'deliveryOf'>;
  readonly listener: FeedListener;
  readonly wants: EventFilter;
  readonly position: number;
}) {
  const { live, caller, feed: accountFeed, listener, wants } = options;
  const { newestRecord } = live;
  const position = Math.min(options.position, newestRecord());
  const queues = new Map<LockId | null, DeliveryQueue>();
  /** Alarms, cards and revocations of all queues, oldest first. */
  const waiting = new Set<Delivery>();
  /** Whether every lock with records above the position has its queue. */
  let isCaughtUp = false;
  /** The filters that held since the start and hold no more, until it is caught up. */
  const earlier: EventFilter[] = [];
  /** The newest record when the receiver got no more. */
  let endedAt: number | undefined;
  let pass: Promise<void> | undefined;

  /** What it finds in the feed. */
  function found({ feed, readTo, latestTo }: DeliveryQueue): readonly Delivery[] {
    const isNew = (one: Delivery): boolean => (isRecord(one) ? one.recordId > readTo : one.place > latestTo);
    return feed.deliveries.filter((one) => isNew(one) && wants(one.type, feed.lockId));
  }
  /** The delivery to send next; `unread`: the log must be read first. */
  function next(queue: DeliveryQueue): Delivery | 'unread' | undefined {
    const { feed, own, readTo } = queue;
    const [first] = [...own.slice(0, 1), ...found(queue).slice(0, 1)].sort(inOrder);
    if (feed.lockId === null) return isCaughtUp ? first : 'unread';
    const mayBeInLog = readTo < feed.recordsAfter && wants('record', feed.lockId);
    return mayBeInLog && (first === undefined || readTo < first.recordId) ? 'unread' : first;
  }
  /** The queue of a lock, which begins there when nothing of the lock waits. */
  function of(feed: LockFeed, readTo: number, latestTo: number): DeliveryQueue {
    const known = queues.get(feed.lockId);
    if (known !== undefined) return known;
    const made: DeliveryQueue = { feed, own: [], readTo, latestTo, attempts: 0, sending: undefined, isReading: false };
    queues.set(feed.lockId, made);
    feed.busy.add(listener);
    return made;
  }
  /** Whether records of the lock were wanted all the time. */
  const wasWanted = (lockId: LockId | null): boolean => earlier.every((before) => before('record', lockId));
  /** The queue of a lock of which the log may have records that the feed has not. */
  function behind(lockId: LockId | null, done = wasWanted(lockId) ? position : newestRecord()): DeliveryQueue {
    return of(accountFeed.of(lockId, newestRecord()), done, 0);
  }
  /** Takes out what was sent or given up. */
  function remove({ id, lockId, type, recordId, place }: Delivery): void {
    const queue = queues.get(lockId);
    if (queue === undefined) return;
    // A record may have become its own while it was sent out of the feed.
    const at = queue.own.findIndex((one) => one.id === id);
    if (at >= 0) for (const own of queue.own.splice(at, 1)) waiting.delete(own);
    else if (type === 'record') queue.readTo = Math.max(queue.readTo, recordId);
    else queue.latestTo = Math.max(queue.latestTo, place);
  }
  /** Drops of a queue what this filter does not want, now and of all that has happened so far. */
  function drop(queue: DeliveryQueue, keeps: EventFilter): void {
    const { feed, own } = queue;
    const isWanted = ({ type }: Delivery): boolean => keeps(type, feed.lockId);
    for (const one of own) if (!isWanted(one)) waiting.delete(one);
    const latest = feed.deliveries.filter((one) => !isRecord(one) && one.place > queue.latestTo);
    queue.own = [...own, ...latest].filter(isWanted).sort(inOrder);
    queue.latestTo = Math.max(queue.latestTo, ...latest.map(({ place }) => place));
    if (!keeps('record', feed.lockId)) queue.readTo = Math.max(queue.readTo, newestRecord());
  }
  /** What waits longest and is not being sent. */
  function oldestIdle(): readonly Delivery[] {
    for (const one of waiting) if (queues.get(one.lockId)?.sending !== one) return [one];
    return [];
  }
  async function readLog(): Promise<void> {
    const findsQueues = !isCaughtUp;
    const all = [...queues.values()];
    for (const queue of all) queue.isReading = queue.feed.lockId !== null && next(queue) === 'unread';
    const upTo = newestRecord();
    let readTo = Math.min(findsQueues ? position : upTo, ...all.flatMap((queue) => (queue.isReading ? [queue.readTo] : [])));
    /** How many more records there is room for; always some, so that each pass brings something. */
    let room = Math.max(recordsOfLockAtMost, recordsAtMost + waiting.size - all.reduce((sum, { own }) => sum + own.length, 0));
    function take(record: LockRecord): void {
      const { recordId, lockId } = record;
      if (findsQueues && recordId > position && !queues.has(lockId)) behind(lockId).isReading = true;
      if (room === 0) return;
      readTo = recordId;
      const queue = queues.get(lockId);
      if (!queue?.isReading || recordId <= queue.readTo) return;
      insert(queue.own, accountFeed.deliveryOf({ type: 'record', lockId, record }));
      queue.readTo = recordId;
      queue.isReading = queue.own.filter(isRecord).length < recordsOfLockAtMost;
      room -= 1;
    }
    const isAsked = (lockId: LockId): boolean => (findsQueues ? wants('record', lockId) : queues.get(lockId)?.isReading === true);
    if (readTo < upTo)
      for await (const some of live.recordsSince(caller, readTo, isAsked)) {
        if (endedAt !== undefined) return;
        for (const record of some) take(record);
        if (room === 0 && !findsQueues) break;
      }
    if (room > 0) readTo = upTo;
    for (const queue of queues.values()) if (queue.isReading) queue.readTo = Math.max(queue.readTo, readTo);
    isCaughtUp = true;
    earlier.length = 0;
  }

  return {
    /** The queue of the lock of this feed. It begins with this delivery when nothing of the lock waits. */
    begin: (feed: LockFeed, delivery: Delivery): DeliveryQueue =>
      of(feed, isCaughtUp || !wasWanted(feed.lockId) ? recordBefore(delivery) : position, delivery.place - 1),
    behind,
    next,
    remove,
    isCaughtUp: (): boolean => isCaughtUp,
    isOver: (): boolean => endedAt !== undefined,
    /** This delivery, which is the next one, and if it is a record those after it in memory that may go with it. */
    batch(queue: DeliveryQueue, first: Delivery, atMost: number): readonly Delivery[] {
      if (atMost === 1) return [first];
      const some = (queue.own[0] === first ? queue.own : found(queue)).slice(0, atMost);
      const last = some.findIndex(({ isLast }) => isLast === true);
      return last < 0 ? some : some.slice(0, last + 1);
    },
    /** Adds an alarm, a card or a revocation. Returns the delivery that had to be evicted for it, if any. */
    add(queue: DeliveryQueue, delivery: Delivery): readonly Delivery[] {
      const evicted = waiting.size < storedAtMost ? [] : oldestIdle();
      evicted.forEach(remove);
      insert(queue.own, delivery);
      waiting.add(delivery);
      return evicted;
    },
    /** Reads what queues need from the log. Resolves at the end of the pass. Rejects when the log cannot be read. */
    read(): Promise<void> {
      pass ??= readLog().finally(() => {
        pass = undefined;
      });
      return pass;
    },
    /** There is another filter than `before`: of what has happened so far only what both want is still sent. */
    refilter(before: EventFilter): void {
      if (!isCaughtUp) earlier.push(before);
      for (const queue of queues.values()) drop(queue, (type, lockId) => before(type, lockId) && wants(type, lockId));
    },
    /** Takes all records that were read but the first out of memory, because they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first, second] = queue.own.filter(isRecord);
      if (first === undefined || second === undefined) return;
      queue.own = queue.own.filter((one) => one === first || !isRecord(one));
      queue.readTo = first.recordId;
      queue.isReading = false;
    },
    /** Whether the queue has more deliveries; ends an empty queue. */
    hasMore(queue: DeliveryQueue): boolean {
      if (next(queue) !== undefined) return true;
      if (queues.delete(queue.feed.lockId)) accountFeed.release(listener, queue.feed);
      return false;
    },
    checkpoint(): Pick<DeliveryProgress, 'position' | 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap(({ feed: { lockId, newest }, own, readTo }) => {
        const done = (own.find(isRecord)?.recordId ?? readTo + 1) - 1;
        return lockId !== null && done < newest && wants('record', lockId) ? [{ lockId, done }] : [];
      });
      return { position: isCaughtUp ? (endedAt ?? newestRecord()) : position, behind, waiting: [...waiting].map(stored) };
    },
    /** Takes part in the feed no more; what waits stays readable. */
    end(): void {
      endedAt ??= newestRecord();
      for (const { feed } of queues.values()) accountFeed.release(listener, feed);
    },
    all: (): readonly DeliveryQueue[] => [...queues.values()],
    /** How many deliveries are in memory. */
    size: (): number => [...queues.values()].reduce((sum, queue) => sum + queue.own.length + found(queue).length, 0),
  };
}

/** A record comes before all else that happened while it was the newest. */
function inOrder(a: Delivery, b: Delivery): number {
  return a.recordId - b.recordId || Number(isRecord(b)) - Number(isRecord(a)) || a.place - b.place;
}

function insert(all: Delivery[], delivery: Delivery): void {
  all.splice(all.findLastIndex((one) => inOrder(one, delivery) <= 0) + 1, 0, delivery);
}
