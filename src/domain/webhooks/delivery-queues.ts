// What waits for one receiver: a queue for each lock, in the order in which it happened. A queue has its next records in memory and
// reads the others from the record log later, so a receiver that is away costs no more the more it misses.
import type { LockId } from '../locks/lock.ts';
import { type Delivery, type DeliveryProgress, isStored } from './delivery.ts';

/** Records in memory: of one lock, and of all. */
export const recordsOfLockAtMost = 100;
const recordsAtMost = 1_000;
/** Deliveries that are stored, and apart those that a newer one replaces. */
const othersAtMost = 1_000;

export interface DeliveryQueue {
  /** null: the gateway itself. */
  readonly lockId: LockId | null;
  /** In memory, oldest first. */
  readonly records: Delivery[];
  /** What is no record, oldest first. */
  readonly others: Delivery[];
  /** The log has records of this lock above this one that are not in memory; undefined: it has none. */
  unloadedAfter: number | undefined;
  /** The newest record of this lock, as far as it was heard of. */
  newest: number;
  /** Failed attempts of its first delivery. */
  attempts: number;
  sending: Delivery | undefined;
  isServed: boolean;
}

/** What to send next; `unloaded`: the log must be read first. */
export function nextIn({ records: [record], others: [other], unloadedAfter }: DeliveryQueue): Delivery | 'unloaded' | undefined {
  const nextRecordId = record?.recordId ?? (unloadedAfter === undefined ? Number.POSITIVE_INFINITY : unloadedAfter + 1);
  if (other !== undefined && other.recordId < nextRecordId) return other;
  return record ?? (unloadedAfter === undefined ? undefined : 'unloaded');
}

export type DeliveryQueues = ReturnType<typeof createDeliveryQueues>;

export function createDeliveryQueues() {
  const queues = new Map<LockId | null, DeliveryQueue>();
  /** What is in memory, of all queues, oldest first. */
  const loaded = { record: new Set<Delivery>(), stored: new Set<Delivery>(), replaceable: new Set<Delivery>() };
  const othersLike = (delivery: Delivery): Set<Delivery> => loaded[isStored(delivery) ? 'stored' : 'replaceable'];

  function of(lockId: LockId | null): DeliveryQueue {
    const known = queues.get(lockId);
    if (known !== undefined) return known;
    const made = { lockId, records: [], others: [], unloadedAfter: undefined, newest: 0, attempts: 0, sending: undefined, isServed: false };
    queues.set(lockId, made);
    return made;
  }
  function remove(delivery: Delivery): void {
    const { records, others } = of(delivery.lockId);
    const list = delivery.type === 'record' ? records : others;
    const all = delivery.type === 'record' ? loaded.record : othersLike(delivery);
    if (all.delete(delivery)) list.splice(list.indexOf(delivery), 1);
  }
  function load(queue: DeliveryQueue, record: Delivery): void {
    queue.records.push(record);
    loaded.record.add(record);
  }
  function addRecord(record: Delivery): void {
    const queue = of(record.lockId);
    queue.newest = record.recordId;
    if (queue.unloadedAfter !== undefined) return;
    const hasRoom = loaded.record.size < recordsAtMost && queue.records.length < recordsOfLockAtMost && queue.attempts === 0;
    if (hasRoom) load(queue, record);
    else queue.unloadedAfter = queue.records.at(-1)?.recordId ?? record.recordId - 1;
  }
  /** What is no record. Returns the delivery for which there is no room any more. */
  function addOther(delivery: Delivery): Delivery | undefined {
    const { others, sending } = of(delivery.lockId);
    const replaced = isStored(delivery) ? undefined : others.find((other) => other.type === delivery.type && other !== sending);
    if (replaced !== undefined) remove(replaced);
    const all = othersLike(delivery);
    const evicted = all.size < othersAtMost ? undefined : oldestIn(all);
    if (evicted !== undefined) remove(evicted);
    others.push(delivery);
    all.add(delivery);
    return evicted;
  }
  /** But for what is being sent. */
  function oldestIn(all: ReadonlySet<Delivery>): Delivery | undefined {
    for (const delivery of all) if (of(delivery.lockId).sending !== delivery) return delivery;
    return undefined;
  }

  return {
    /** The queue of a lock, which may be empty. */
    of,
    /** A record that was just stored. */
    addRecord,
    addOther,
    /** The log has records of this lock above `recordId`, if the queue does not know of earlier ones. */
    addBehind({ lockId, recordId }: { readonly lockId: LockId; readonly recordId: number }, after: number): void {
      const queue = of(lockId);
      queue.newest = recordId;
      queue.unloadedAfter ??= after;
    },
    /** Continues from a checkpoint. */
    restore({ behind, waiting }: Pick<DeliveryProgress, 'behind' | 'waiting'>): void {
      for (const { lockId, done } of behind) of(lockId).unloadedAfter = done;
      for (const delivery of waiting) addOther(delivery);
    },
    checkpoint(): Pick<DeliveryProgress, 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap(({ lockId, records: [record], unloadedAfter }) => {
        const done = record === undefined ? unloadedAfter : record.recordId - 1;
        return lockId === null || done === undefined ? [] : [{ lockId, done }];
      });
      return { behind, waiting: [...loaded.stored] };
    },
    /** From the log: the next record of the lock above `unloadedAfter`. */
    load(queue: DeliveryQueue, record: Delivery): void {
      load(queue, record);
      queue.unloadedAfter = record.recordId;
    },
    /** Takes all records but the first out of memory: they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first, ...rest] = queue.records;
      if (first === undefined || rest.length === 0) return;
      for (const record of rest) remove(record);
      queue.unloadedAfter = first.recordId;
    },
    /** It was sent, or given up. */
    remove,
    /** Whether there is more in it. An empty queue goes. */
    hasMore(queue: DeliveryQueue): boolean {
      if (nextIn(queue) !== undefined) return true;
      if (queues.get(queue.lockId) === queue) queues.delete(queue.lockId);
      return false;
    },
    all: (): readonly DeliveryQueue[] => [...queues.values()],
    /** How many records may be loaded at once, at least some. */
    room: (): number => Math.max(recordsOfLockAtMost, recordsAtMost - loaded.record.size),
    /** Deliveries in memory. */
    size: (): number => loaded.record.size + loaded.stored.size + loaded.replaceable.size,
  };
}
