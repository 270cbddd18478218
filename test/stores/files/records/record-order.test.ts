// recordIds rise in the order in which a lock sends its events, whatever it sends twice, and whatever a message has to wait for (Fault
// T20).
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import { everything, lockId, sampleEvents } from '../support/samples.ts';

const locks = [lockId(1), lockId(2)] as const;

/**
 * One step of a lock: it sends its next events, or reconnects and sends again all events without a PUBACK; or time passes, now and then
 * past midnight.
 */
const step = fc.record({
  lock: fc.constantFrom(0, 1),
  kind: fc.constantFrom('send', 'send', 'send', 'resend', 'rest', 'midnight'),
  count: fc.integer({ min: 1, max: 100 }),
});

test('the records of a lock are in the order in which its events came first, each once, with random reconnects', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) =>
      withDirectory(async (directory) => {
        const clock = manualClock();
        const { store } = await startedStore(directory, { clock });
        const sent = locks.map(() => ({ next: 1, unacknowledged: 1 }));
        const calls: Promise<unknown>[] = [];
        for (const { lock, kind, count } of steps) {
          const lockSent = sent[lock] as { next: number; unacknowledged: number };
          if (kind === 'rest') await calls.at(-1);
          if (kind === 'midnight') clock.set(clock.now() + 86_400_000);
          if (kind !== 'send' && kind !== 'resend') continue;
          const from = kind === 'send' ? lockSent.next : lockSent.unacknowledged;
          const to = from + count - 1;
          lockSent.next = Math.max(lockSent.next, to + 1);
          const call = store.ports.records.append(locks[lock] as (typeof locks)[0], 'e', sampleEvents(from, to)).then(() => {
            lockSent.unacknowledged = Math.max(lockSent.unacknowledged, to + 1);
          });
          calls.push(call);
        }
        await Promise.all(calls);
        for (const [n, lock] of locks.entries()) {
          const { list } = await store.ports.records.page({ lockId: lock, ...everything, pageSize: 10_000 });
          const told = Array.from({ length: (sent[n]?.next ?? 1) - 1 }, (_, index) => index + 1);
          expect(list.map(({ seq }) => seq).reverse()).toEqual(told);
        }
        await store.stop();
      }),
    ),
    { numRuns: 20 },
  ));

test('events behind a message with an event in flight get the higher recordIds', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.records.append(locks[0], 'e', sampleEvents(1, 1));
    await Promise.all([
      store.ports.records.append(locks[0], 'e', sampleEvents(2, 3)),
      // After a reconnect, while event 3 is being written.
      store.ports.records.append(locks[0], 'e', sampleEvents(3, 4)),
      store.ports.records.append(locks[0], 'e', sampleEvents(5, 6)),
    ]);
    const { list } = await store.ports.records.page({ lockId: locks[0], ...everything });
    expect(list.map(({ seq }) => seq).reverse()).toEqual([1, 2, 3, 4, 5, 6]);
    await store.stop();
  }));
