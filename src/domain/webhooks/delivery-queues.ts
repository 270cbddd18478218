// The deliveries that wait for one receiver: a queue for each lock, in the order of its events. A queue has its next records in memory and
// reads the others from the record log later, so that the memory for a receiver that is away stays bounded.
import type { LockId } from '../locks/lock.ts';
import { type Delivery, type DeliveryProgress, isStored } from './delivery.ts';

/** Limits of records in memory: of one lock, and of all locks. */
export const recordsOfLockAtMost = 100;
const recordsAtMost = 1_000;
/** Limit of other deliveries: of those that are stored, and of those that a newer one replaces. */
const othersAtMost = 1_000;

export interface DeliveryQueue {
  /** null: the gateway itself. */
  readonly lockId: LockId | null;
  /** Those in memory, in the order of the events. */
  readonly deliveries: Delivery[];
  /** The log has records of this lock above this recordId that are not in memory; undefined: it has none. */
  unloadedAfter: number | undefined;
  /** The newest known record of this lock. */
  newest: number;
  /** Failed attempts of its first delivery. */
  attempts: number;
  sending: Delivery | undefined;
  isServed: boolean;
}

/** The delivery to send next; `unloaded`: the log must be read first. */
export function nextIn({ deliveries: [first], unloadedAfter }: DeliveryQueue): Delivery | 'unloaded' | undefined {
  if (unloadedAfter === undefined || (first !== undefined && first.recordId <= unloadedAfter)) return first;
  return 'unloaded';
}

const isRecord = ({ type }: Delivery): boolean => type === 'record';

export type DeliveryQueues = ReturnType<typeof createDeliveryQueues>;

/** The empty queues of one receiver: one for each lock, and one (null) for the gateway itself. */
export function createDeliveryQueues() {
  const queues = new Map<LockId | null, DeliveryQueue>();
  /** How many records are in memory. */
  let records = 0;
  /** Alarms and cards of all queues, oldest first. */
  const lasting = new Set<Delivery>();
  /** How many others a newer one replaces, and the queues that have some, first those that wait longest. */
  let replaceable = 0;
  const withReplaceable = new Set<DeliveryQueue>();

  function of(lockId: LockId | null): DeliveryQueue {
    const known = queues.get(lockId);
    if (known !== undefined) return known;
    const made = { lockId, deliveries: [], unloadedAfter: undefined, newest: 0, attempts: 0, sending: undefined, isServed: false };
    queues.set(lockId, made);
    return made;
  }
  function remove(delivery: Delivery): void {
    const queue = of(delivery.lockId);
    const at = queue.deliveries.indexOf(delivery);
    if (at < 0) return;
    queue.deliveries.splice(at, 1);
    if (isRecord(delivery)) records -= 1;
    else if (!lasting.delete(delivery)) {
      replaceable -= 1;
      if (queue.deliveries.every(isStored)) withReplaceable.delete(queue);
    }
  }
  function place(queue: DeliveryQueue, delivery: Delivery, at = queue.deliveries.length): void {
    queue.deliveries.splice(at, 0, delivery);
    if (isRecord(delivery)) records += 1;
    else if (isStored(delivery)) lasting.add(delivery);
    else {
      replaceable += 1;
      withReplaceable.add(queue);
    }
  }
  /** In place if it is the last: this happens at each event while a receiver is slower than the doors. */
  function replace({ deliveries, sending }: DeliveryQueue, delivery: Delivery): boolean {
    const last = deliveries.at(-1);
    const isOlder = (one: Delivery | undefined): boolean =>
      one?.type === delivery.type && one.subject === delivery.subject && one !== sending;
    if (isOlder(last)) {
      deliveries[deliveries.length - 1] = delivery;
      return true;
    }
    const earlier = deliveries.findLast(isOlder);
    if (earlier !== undefined) remove(earlier);
    return false;
  }
  function* replaceablesByAge(): Iterable<Delivery> {
    for (const { deliveries } of withReplaceable) for (const one of deliveries) if (!isStored(one)) yield one;
  }
  /** The first one that is not being sent. */
  function oldest(deliveries: Iterable<Delivery>): Delivery | undefined {
    for (const delivery of deliveries) if (of(delivery.lockId).sending !== delivery) return delivery;
    return undefined;
  }

  return {
    /** The queue of a lock, which may be empty. */
    of,
    /** Adds a record that was just stored. */
    addRecord(queue: DeliveryQueue, record: Delivery): void {
      queue.newest = record.recordId;
      if (queue.unloadedAfter !== undefined) return;
      const hasRoom = records < recordsAtMost && queue.deliveries.length < recordsOfLockAtMost && queue.attempts === 0;
      if (hasRoom) place(queue, record);
      else queue.unloadedAfter = queue.deliveries.findLast(isRecord)?.recordId ?? record.recordId - 1;
    },
    /** Adds a delivery that is no record. Returns the delivery that had to be evicted for it, if any. */
    addOther(queue: DeliveryQueue, delivery: Delivery): Delivery | undefined {
      const isLasting = isStored(delivery);
      if (!isLasting && replace(queue, delivery)) return undefined;
      const isFull = (isLasting ? lasting.size : replaceable) >= othersAtMost;
      const evicted = isFull ? oldest(isLasting ? lasting : replaceablesByAge()) : undefined;
      if (evicted !== undefined) remove(evicted);
      place(queue, delivery);
      return evicted;
    },
    /** Notes that the log has records of this lock above `after`, unless the queue knows of earlier ones. */
    addBehind(queue: DeliveryQueue, { recordId }: { readonly recordId: number }, after: number): void {
      queue.newest = recordId;
      queue.unloadedAfter ??= after;
    },
    /** Continues from a checkpoint. */
    restore({ behind, waiting }: Pick<DeliveryProgress, 'behind' | 'waiting'>): void {
      for (const { lockId, done } of behind) of(lockId).unloadedAfter = done;
      for (const delivery of waiting) place(of(delivery.lockId), delivery);
    },
    checkpoint(): Pick<DeliveryProgress, 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap(({ lockId, deliveries, unloadedAfter }) => {
        const record = deliveries.find(isRecord);
        const done = record === undefined ? unloadedAfter : record.recordId - 1;
        return lockId === null || done === undefined ? [] : [{ lockId, done }];
      });
      return { behind, waiting: [...lasting] };
    },
    /** Adds the next record of the lock above `unloadedAfter`, read from the log. */
    load(queue: DeliveryQueue, record: Delivery): void {
      const before = queue.deliveries.findIndex(({ recordId }) => recordId >= record.recordId);
      place(queue, record, before < 0 ? undefined : before);
      queue.unloadedAfter = record.recordId;
    },
    /** Takes all records but the first out of memory, because they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first, ...rest] = queue.deliveries.filter(isRecord);
      if (first === undefined || rest.length === 0) return;
      for (const record of rest) remove(record);
      queue.unloadedAfter = first.recordId;
    },
    /** Removes a delivery that was sent or given up. */
    remove,
    /** Whether the queue has more deliveries; deletes an empty queue. */
    hasMore(queue: DeliveryQueue): boolean {
      if (nextIn(queue) !== undefined) return true;
      if (queues.get(queue.lockId) === queue) queues.delete(queue.lockId);
      return false;
    },
    all: (): readonly DeliveryQueue[] => [...queues.values()],
    /** How many records may be loaded at once, at least some. */
    room: (): number => Math.max(recordsOfLockAtMost, recordsAtMost - records),
    /** How many deliveries are in memory. */
    size: (): number => records + lasting.size + replaceable,
  };
}
