// What waits for a receiver, where the order of things matters more than a test with a whole gateway can show.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createWaiting, lockId } from '../../support/waiting.ts';

describe('a queue', () => {
  test('gives records and all else in the order in which they happened, those in the log included', () => {
    const { queues, queueOf, older, load, drain } = createWaiting({ newest: 9 });
    const queue = queueOf(lockId, 3);
    for (const [id, recordId] of [
      ['before', 3],
      ['between', 5],
      ['after', 9],
    ] as const)
      queues.add(queue, older(id, 'alarm', recordId));
    expect(drain(queue)).toEqual(['before']);
    expect(queues.next(queue)).toBe('unloaded');
    for (const recordId of [4, 6]) load(queue, recordId);
    queue.readTo = 9;
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
    queues.remove(queueOf(lockId, 0), queues.next(queueOf(lockId, 0)) as never);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 4 }]);
  });

  test('that is unloaded gives up its memory and nothing else', () => {
    const { queues, queueOf, load, drain } = createWaiting({ newest: 9 });
    const queue = queueOf(lockId, 0);
    for (const recordId of [1, 2, 3]) load(queue, recordId);
    queues.unload(queue);
    expect(queues.size()).toBe(1);
    expect(queues.checkpoint().behind).toEqual([{ lockId, done: 0 }]);
    expect(drain(queue)).toEqual(['record-1']);
    expect([queues.next(queue), queue.readTo]).toEqual(['unloaded', 1]);
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
    queues.remove(queue, first);
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
    if (n === 0) [queue.sending] = queue.stored;
  }
  // The first two events are of the first lock, the next two of the second, and so on.
  expect(evicted).toEqual(['4', '6', '8']);
  expect(missed).toEqual(['1', '3', '5']);
  expect(queues.size()).toBe(2_000);
  for (let recordId = 1; recordId < 5_000; recordId++) tell('record', recordId);
  expect(queues.size()).toBe(2_100);
  expect(queues.checkpoint().waiting).toHaveLength(1_000);
});
