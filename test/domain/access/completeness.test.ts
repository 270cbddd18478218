// Whether every event between two dates is there: gaps, what lies outside, and when the lock has said how far it has counted.
import { expect, test } from '@jest/globals';
import { createCompleteness, createHeardEvents } from '../../../src/domain/access/completeness.ts';
import { createAccessDomain, doorSeven } from '../../support/access-log-domain.ts';
import { createMemoryRecords } from '../../support/memory-stores.ts';

const hour = 3_600_000;

async function asking() {
  const { clock, events, log } = await createAccessDomain();
  const records = createMemoryRecords();
  const heardEvents = createHeardEvents({ clock, events });
  const completeness = createCompleteness({ clock, log, records, heardEvents });
  const noon = clock.now();
  return {
    events,
    noon,
    hello: (seq: number) => events.emit('hello-reported', { lockId: doorSeven, newestEvent: { epoch: 'a', seq } }),
    lost: (from: number, to: number) => events.emit('events-lost', { lockId: doorSeven, epoch: 'a', from, to }),
    store: (seq: number, lockDate: number, epoch = 'a') =>
      records.append(doorSeven, epoch, [
        { seq, type: 'card-unlock', success: true, credential: '1', username: '', lockDate, serverDate: lockDate },
      ]),
    ask: (startDate: number, endDate: number) => completeness({ lockId: doorSeven, startDate, endDate }),
  };
}

test('all is there when no number is missing and the lock has said so after the end', async () => {
  const { noon, hello, store, ask } = await asking();
  for (const seq of [1, 2, 3]) await store(seq, noon - (4 - seq) * hour);
  const range = [noon - 4 * hour, noon - hour / 2] as const;
  expect(await ask(...range)).toMatchObject({ complete: false, records: 3, unheardAfter: noon - hour });
  hello(4);
  expect(await ask(...range)).toMatchObject({ complete: false, unheardAfter: noon - hour });
  hello(3);
  expect(await ask(...range)).toEqual({
    ...{ complete: true, records: 3, unheardAfter: null, clockDoubtful: [] },
    epochs: [{ epoch: 'a', from: 1, to: 3, missing: [], lost: false }],
    offline: [[noon - 4 * hour, null]],
  });
});

test('an event after the end says the same as a hello', async () => {
  const { noon, store, ask } = await asking();
  await store(1, noon - 3 * hour);
  await store(2, noon - hour);
  expect(await ask(noon - 4 * hour, noon - 2 * hour)).toMatchObject({ complete: true, records: 1 });
  expect(await ask(noon - 4 * hour, noon)).toMatchObject({ complete: false, unheardAfter: noon - hour });
});

test('a number that is missing counts where it may lie, and not where it cannot', async () => {
  const { noon, hello, lost, store, ask } = await asking();
  for (const [seq, hours] of [
    [1, 9],
    [2, 8],
    [5, 6],
    [6, 3],
    [7, 2],
  ] as const)
    await store(seq, noon - hours * hour);
  hello(7);
  const missing = async (from: number, to: number) =>
    (await ask(noon - from * hour, noon - to * hour)).epochs.flatMap((epoch) => epoch.missing);
  expect(await missing(10, 1)).toEqual([[3, 4]]);
  expect(await missing(9.5, 7.5)).toEqual([[3, 4]]);
  expect(await missing(7, 5)).toEqual([[3, 4]]);
  expect(await missing(4, 1)).toEqual([]);
  expect(await ask(noon - 4 * hour, noon - hour)).toMatchObject({ complete: true });
  expect(await ask(noon - 10 * hour, noon - hour)).toMatchObject({ complete: false, unheardAfter: null, epochs: [{ lost: false }] });
  lost(3, 4);
  expect(await ask(noon - 10 * hour, noon - hour)).toMatchObject({ complete: false, epochs: [{ from: 1, to: 7, lost: true }] });
});
