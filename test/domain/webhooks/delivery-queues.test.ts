// What waits for a receiver, where the order of things matters more than a test with a whole gateway can show.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import type { DeliveryQueue } from '../../../src/domain/webhooks/delivery-queues.ts';
import { createWaiting, lockId } from '../../support/waiting.ts';

/** A log with these records of the one lock. */
const recordsOf = (...recordIds: readonly number[]) =>
  async function* () {
    yield recordIds.map((recordId) => ({ recordId, lockId }) as LockRecord);
  };

/** A log in which record n is of lock n % locks + 1; `onRead` is called between two of its records. */
function logOf(records: number, locks: number, onRead: (recordId: number) => void = () => undefined) {
  const passes: number[] = [];
  async function* readLog(above: number, isAsked: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]> {
    passes.push(above);
    for (let recordId = above + 1; recordId <= log.newest; recordId++) {
      const of = ((recordId % locks) + 1) as LockId;
      if (isAsked(of)) yield [{ recordId, lockId: of } as LockRecord];
      onRead(recordId);
    }
  }
  const { queues, queueOf, tell, read, drain, log } = createWaiting({ newest: records, readLog });
  /** The queues of locks 1 to so many, each with records in the log above `done`. */
  const behind = (count: number, doneOf: (place: number) => number): DeliveryQueue[] =>
    Array.from({ length: count }, (_, n) => queueOf((n + 1) as LockId, doneOf(n)));
  const idsOf = (queue: DeliveryQueue): number[] => drain(queue).map((id) => Number(id.replace('record-', '')));
  return { log, passes, queues, tell, read, behind, drain: idsOf };
}

describe('a queue', () => {
  test('gives records and all else in the order in which they happened, those in the log included', async () => {
    const { queues, queueOf, older, read, drain } = createWaiting({ newest: 9, readLog: recordsOf(4, 6) });
    const queue = queueOf(lockId, 3);
    for (const [id, recordId] of [
      ['before', 3],
      ['between', 5],
      ['after', 9],
    ] as const)
      queues.add(queue, older(id, 'alarm', recordId));
    expect(drain(queue)).toEqual(['before']);
    expect(queues.next(queue)).toBe('unread');
    await read();
    expect(drain(queue)).toEqual(['record-4', 'between', 'record-6', 'after']);
    expect([queues.hasMore(queue), queues.all()]).toEqual([false, []]);
  });

  test('has after a checkpoint the deliveries that it had left', () => {
    const { queues, queueOf, tell } = createWaiting({ newest: 3 });
    tell('record', 4);
    tell('record', 6);
    const alarm = tell('alarm', 6);
    tell('state', 6);
    const ofGateway = tell('alarm', 6, null);
    const { behind, waiting } = queues.checkpoint();
    expect(behind).toEqual([{ lockId, done: 3 }]);
    expect(waiting.map(({ id }) => id)).toEqual([alarm, ofGateway]);
    expect(Object.keys(waiting[0] as object)).toEqual(['id', 'type', 'lockId', 'at', 'recordId', 'body']);
    queues.remove(queues.next(queueOf(lockId, 0)) as never);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 4 }]);
  });

  test('that is unloaded gives up its memory and nothing else', async () => {
    const { queues, queueOf, read, drain } = createWaiting({ newest: 9, readLog: recordsOf(1, 2, 3) });
    const queue = queueOf(lockId, 0);
    await read();
    expect(queues.size()).toBe(3);
    queues.unload(queue);
    expect(queues.size()).toBe(1);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 0 }]);
    expect(drain(queue)).toEqual(['record-1']);
    expect([queues.next(queue), queue.readTo]).toEqual(['unread', 1]);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 1 }]);
  });

  test('replaces what says how something was, but not while that is being sent', () => {
    const { queues, queueOf, tell, drain } = createWaiting();
    const sent = tell('state', 0);
    const queue = queueOf(lockId, 0);
    const first = queues.next(queue) as never;
    tell('state', 0);
    tell('battery', 0);
    const added = tell('card', 0);
    const state = tell('state', 0);
    const battery = tell('battery', 0);
    queues.remove(first);
    expect(drain(queue)).toEqual([added, state, battery]);
    expect([sent, queues.size()]).toEqual(['1', 0]);
  });

  test('replaces news of a card or passcode only by news of the same one', () => {
    const { queueOf, tell, drain } = createWaiting();
    tell('entry', 0, lockId, 'entry 1');
    const others = [tell('entry', 0, lockId, 'entry 2'), tell('entry', 0, lockId, 'entry 1')];
    expect(drain(queueOf(lockId, 0))).toEqual(others);
  });

  test('does not hold what its receiver does not want', () => {
    const { queues, queueOf, tell, drain } = createWaiting({ wants: (type) => type === 'battery' });
    const battery = tell('battery', 0);
    for (const type of ['state', 'record'] as const) tell(type, 1);
    expect([queues.size(), queues.checkpoint().behind]).toEqual([1, []]);
    expect(drain(queueOf(lockId, 0))).toEqual([battery]);
  });
});

test('of too much the oldest is evicted, of what is stored and of what is not each for itself, and never an alarm that is being sent', () => {
  const { queues, queueOf, tell, evicted, missed } = createWaiting();
  for (let n = 0; n < 1_003; n++) {
    const of = (n + 1) as LockId;
    tell('state', 0, of);
    tell('alarm', 0, of);
    const queue = queueOf(of, 0);
    if (n === 0) [queue.sending] = queue.own;
  }
  // The first two events are of the first lock, the next two of the second, and so on.
  expect(evicted).toEqual(['4', '6', '8']);
  expect(missed).toEqual(['1', '3', '5']);
  expect(queues.size()).toBe(2_000);
  for (let recordId = 1; recordId < 5_000; recordId++) tell('record', recordId);
  expect(queues.size()).toBe(2_100);
  expect(queues.checkpoint().waiting).toHaveLength(1_000);
});

/** The records above `after` of the lock at this place. */
const expectedOf = (place: number, locks: number, after: number, upTo: number): number[] =>
  Array.from({ length: upTo - after }, (_, n) => after + 1 + n).filter((recordId) => recordId % locks === place);

describe('what many queues need from the log', () => {
  test('is read once for all of them, whoever asks', async () => {
    const { passes, queues, read, behind, drain } = logOf(400, 50);
    const all = behind(50, (place) => place);
    await Promise.all(all.map(read));
    expect(passes).toEqual([0]);
    for (const [place, queue] of all.entries()) expect(drain(queue)).toEqual(expectedOf(place, 50, place, 400));
    expect(all.some(queues.hasMore)).toBe(false);
    expect(queues.all()).toEqual([]);
  });

  test('comes some at a time when it is much: nothing is left out, nothing comes twice', async () => {
    const { passes, queues, read, behind, drain } = logOf(7_000, 3);
    const all = behind(3, () => 10);
    const got: number[][] = [[], [], []];
    while (all.some(queues.hasMore)) {
      await read();
      expect(queues.size()).toBeLessThanOrEqual(1_100);
      for (const [place, queue] of all.entries()) got[place]?.push(...drain(queue));
    }
    for (const place of [0, 1, 2]) expect(got[place]).toEqual(expectedOf(place, 3, 10, 7_000));
    expect(passes.length).toBeLessThan(30);
  });

  test('has no hole when a queue is unloaded, or gives up records, in the middle of a pass', async () => {
    const got: number[] = [];
    const { queues, read, behind } = logOf(1_000, 2, (recordId) => {
      const [queue] = all;
      if (queue === undefined) return;
      const [first] = queue.own;
      if (recordId % 50 === 0 && first !== undefined) {
        got.push(first.recordId);
        queues.remove(first);
      }
      if (recordId % 130 === 0) queues.unload(queue);
    });
    const all = behind(2, () => 0);
    const [queue] = all as [DeliveryQueue, DeliveryQueue];
    for (let passes = 0; queues.hasMore(queue); passes++) {
      expect(passes).toBeLessThan(1_000);
      await read();
      const next = queues.next(queue);
      if (typeof next !== 'object') continue;
      got.push(next.recordId);
      queues.remove(next);
    }
    expect(got).toEqual(expectedOf(0, 2, 0, 1_000));
  });

  test('includes what is stored during a pass, in that pass or in the next', async () => {
    let isStored = false;
    const { log, passes, queues, tell, read, behind, drain } = logOf(20, 2, (recordId) => {
      if (recordId < 15 || isStored) return;
      isStored = true;
      // Heard of while the pass is under way, which was asked for what came before.
      for (const newest of [21, 22]) tell('record', newest, ((newest % 2) + 1) as LockId);
      log.newest = 20;
    });
    const [queue] = behind(2, () => 0) as [DeliveryQueue];
    await read();
    // What came meanwhile is in the feed.
    expect(drain(queue)).toEqual(expectedOf(0, 2, 0, 22));
    expect([passes, queues.hasMore(queue)]).toEqual([[0], false]);
  });

  test('is read again after the log could not be read', async () => {
    let isBroken = true;
    const { queues, read, behind, drain } = logOf(10, 1, (recordId) => {
      if (recordId === 4 && isBroken) throw new Error('EIO');
    });
    const [queue] = behind(1, () => 0) as [DeliveryQueue];
    await expect(read()).rejects.toThrow('EIO');
    isBroken = false;
    const got = drain(queue);
    expect(queues.next(queue)).toBe('unread');
    await read();
    expect([...got, ...drain(queue)]).toEqual(expectedOf(0, 1, 0, 10));
  });
});
