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
  let recordCount = 0;
  /** Of all queues, oldest first. */
  const others = { stored: new Set<Delivery>(), replaceable: new Set<Delivery>() };
  const setOf = (delivery: Delivery): Set<Delivery> => others[isStored(delivery) ? 'stored' : 'replaceable'];

  function queueOf(lockId: LockId | null): DeliveryQueue {
    const known = queues.get(lockId);
    if (known !== undefined) return known;
    const made = { lockId, records: [], others: [], unloadedAfter: undefined, newest: 0, attempts: 0, sending: undefined, isServed: false };
    queues.set(lockId, made);
    return made;
  }
  const isBeingSent = (delivery: Delivery): boolean => queueOf(delivery.lockId).sending === delivery;

  function load(queue: DeliveryQueue, record: Delivery): void {
    queue.records.push(record);
    recordCount += 1;
  }
  function remove(queue: DeliveryQueue, delivery: Delivery): void {
    const list = delivery.type === 'record' ? queue.records : queue.others;
    const at = list.indexOf(delivery);
    if (at < 0) return;
    list.splice(at, 1);
    if (delivery.type === 'record') recordCount -= 1;
    else setOf(delivery).delete(delivery);
  }
  function oldestIn(all: ReadonlySet<Delivery>): Delivery | undefined {
    for (const delivery of all) if (!isBeingSent(delivery)) return delivery;
    return undefined;
  }
  /** What is no record. `evicted`: the delivery for which there is no room any more. */
  function addOther(delivery: Delivery): { readonly queue: DeliveryQueue; readonly evicted: Delivery | undefined } {
    const queue = queueOf(delivery.lockId);
    const replaced = isStored(delivery) ? undefined : queue.others.find((other) => other.type === delivery.type && !isBeingSent(other));
    if (replaced !== undefined) remove(queue, replaced);
    const all = setOf(delivery);
    const evicted = all.size < othersAtMost ? undefined : oldestIn(all);
    if (evicted !== undefined) remove(queueOf(evicted.lockId), evicted);
    queue.others.push(delivery);
    all.add(delivery);
    return { queue, evicted };
  }

  return {
    addOther,
    /** A record that was just stored, or read in the order of the log; `make` is called when it stays in memory. */
    addRecord({ lockId, recordId }: { readonly lockId: LockId; readonly recordId: number }, make: () => Delivery): DeliveryQueue {
      const queue = queueOf(lockId);
      queue.newest = recordId;
      if (queue.unloadedAfter !== undefined) return queue;
      if (recordCount < recordsAtMost && queue.records.length < recordsOfLockAtMost && queue.attempts === 0) load(queue, make());
      else queue.unloadedAfter = queue.records.at(-1)?.recordId ?? recordId - 1;
      return queue;
    },
    /** Continues from a checkpoint. */
    restore({ behind, waiting }: Pick<DeliveryProgress, 'behind' | 'waiting'>): void {
      for (const { lockId, done } of behind) queueOf(lockId).unloadedAfter = done;
      for (const delivery of waiting) addOther(delivery);
    },
    checkpoint(): Pick<DeliveryProgress, 'behind' | 'waiting'> {
      const behind = [...queues.values()].flatMap(({ lockId, records: [record], unloadedAfter }) => {
        const done = record === undefined ? unloadedAfter : record.recordId - 1;
        return lockId === null || done === undefined ? [] : [{ lockId, done }];
      });
      return { behind, waiting: [...others.stored] };
    },
    /** From the log: the next record of the lock above `unloadedAfter`. */
    load(queue: DeliveryQueue, record: Delivery): void {
      load(queue, record);
      queue.unloadedAfter = record.recordId;
    },
    /** Takes all records but the first out of memory: they will wait. */
    unload(queue: DeliveryQueue): void {
      const [first] = queue.records;
      if (first === undefined || queue.records.length === 1) return;
      queue.unloadedAfter = first.recordId;
      recordCount -= queue.records.splice(1).length;
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
    room: (): number => Math.max(recordsOfLockAtMost, recordsAtMost - recordCount),
    /** Deliveries in memory. */
    size: (): number => recordCount + others.stored.size + others.replaceable.size,
  };
}
