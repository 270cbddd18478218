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
  /** The records in memory, oldest first. */
  readonly records: Delivery[];
  /** Deliveries that are no records, oldest first. */
  readonly others: Delivery[];
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
export function nextIn({ records: [record], others: [other], unloadedAfter }: DeliveryQueue): Delivery | 'unloaded' | undefined {
  const nextRecordId = record?.recordId ?? (unloadedAfter === undefined ? Number.POSITIVE_INFINITY : unloadedAfter + 1);
  if (other !== undefined && other.recordId < nextRecordId) return other;
  return record ?? (unloadedAfter === undefined ? undefined : 'unloaded');
}

export type DeliveryQueues = ReturnType<typeof createDeliveryQueues>;

/** The empty queues of one receiver: one for each lock, and one (null) for the gateway itself. */
export function createDeliveryQueues() {
  const queues = new Map<LockId | null, DeliveryQueue>();
  /** How many records are in memory. */
  let records = 0;
  /** Of all queues, oldest first. */
  const stored = new Set<Delivery>();
  /** How many deliveries that are neither records nor stored are in memory, and the queues that have some: first those that wait longest. */
  let replaceable = 0;
  const withReplaceable = new Set<DeliveryQueue>();

  function of(lockId: LockId | null): DeliveryQueue {
    const known = queues.get(lockId);
    if (known !== undefined) return known;
    const made = { lockId, records: [], others: [], unloadedAfter: undefined, newest: 0, attempts: 0, sending: undefined, isServed: false };
    queues.set(lockId, made);
    return made;
  }
  function remove(delivery: Delivery): void {
    const queue = of(delivery.lockId);
    const list = delivery.type === 'record' ? queue.records : queue.others;
    const at = list.indexOf(delivery);
    if (at < 0) return;
    list.splice(at, 1);
    if (delivery.type === 'record') records -= 1;
    else if (!stored.delete(delivery)) {
      replaceable -= 1;
      if (queue.others.every(isStored)) withReplaceable.delete(queue);
    }
  }
  function load(queue: DeliveryQueue, record: Delivery): void {
    queue.records.push(record);
    records += 1;
  }
  function addRecord(queue: DeliveryQueue, record: Delivery): void {
    queue.newest = record.recordId;
    if (queue.unloadedAfter !== undefined) return;
    const hasRoom = records < recordsAtMost && queue.records.length < recordsOfLockAtMost && queue.attempts === 0;
    if (hasRoom) load(queue, record);
    else queue.unloadedAfter = queue.records.at(-1)?.recordId ?? record.recordId - 1;
  }
  /** Adds a delivery that is no record. Returns the delivery that had to be evicted for it, if any. */
  function addOther(queue: DeliveryQueue, delivery: Delivery): Delivery | undefined {
    const isReplaceable = !isStored(delivery);
    if (isReplaceable && replaceLast(queue, delivery)) return undefined;
    const replaced = isReplaceable && queue.others.find((other) => other.type === delivery.type && other !== queue.sending);
    if (replaced) remove(replaced);
    const isFull = (isReplaceable ? replaceable : stored.size) >= othersAtMost;
    const evicted = isFull ? oldest(isReplaceable ? replaceablesByAge() : stored) : undefined;
    if (evicted !== undefined) remove(evicted);
    queue.others.push(delivery);
    if (isReplaceable) {
      replaceable += 1;
      withReplaceable.add(queue);
    } else stored.add(delivery);
    return evicted;
  }
  /** In place: this happens at each event while a receiver is slower than the doors. */
  function replaceLast({ others, sending }: DeliveryQueue, delivery: Delivery): boolean {
    const last = others.at(-1);
    if (last?.type !== delivery.type || last === sending) return false;
    others[others.length - 1] = delivery;
    return true;
  }
  function* replaceablesByAge(): Iterable<Delivery> {
    for (const { others } of withReplaceable) for (const other of others) if (!isStored(other)) yield other;
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
    addRecord,
    addOther,
    /** Notes that the log has records of this lock above `after`, unless the queue knows of earlier ones. */
    addBehind(queue: DeliveryQueue, { recordId }: { readonly recordId: number }, after: number): void {
      queue.newest = recordId;
      queue.unloadedAfter ??= after;
    },
    /** Continues from a checkpoint. */
    restore({ behind, waiting }: Pick<DeliveryProgress, 'behind' | 'waiting'>): void {
      for (const { lockId, done } of behind) of(lockId).unloadedAfter = done;
      for (const delivery of waiting) addOther(of(delivery.lockId), delivery);
    },
    checkpoint(): Pick<DeliveryProgress, 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap(({ lockId, records: [record], unloadedAfter }) => {
        const done = record === undefined ? unloadedAfter : record.recordId - 1;
        return lockId === null || done === undefined ? [] : [{ lockId, done }];
      });
      return { behind, waiting: [...stored] };
    },
    /** Adds the next record of the lock above `unloadedAfter`, read from the log. */
    load(queue: DeliveryQueue, record: Delivery): void {
      load(queue, record);
      queue.unloadedAfter = record.recordId;
    },
    /** Takes all records but the first out of memory, because they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first, ...rest] = queue.records;
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
    size: (): number => records + stored.size + replaceable,
  };
}
