// A device that was removed and is registered again with another lockId: its earlier events are not stored twice, and no new one is lost.
import { expect, test } from '@jest/globals';
import type { LockId } from '../../../../src/domain/locks/lock.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { startedStore, withDirectory } from '../support/directory.ts';
import { deviceId, everything, lockId, sampleEvents, sampleLock, sampleRemovedLock } from '../support/samples.ts';

const mac = deviceId(1);
const [first, second, third] = [lockId(1), lockId(2), lockId(3)] as const;

async function register(store: Store, id: LockId): Promise<void> {
  await store.ports.locks.add(sampleLock(id, { deviceId: mac }));
}
async function remove(store: Store, id: LockId): Promise<void> {
  await store.ports.removedLocks.add(sampleRemovedLock(id, { deviceId: mac, removedAt: id }));
  await store.ports.locks.remove(id);
}
const seqsOf = async (store: Store, id: LockId) =>
  (await store.ports.records.page({ lockId: id, ...everything })).list.map(({ seq }) => seq).reverse();

test('the history of a lock that was registered again continues after its events under earlier lockIds, also after a restart', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await register(store, first);
    await store.ports.records.append(first, 'e', sampleEvents(1, 8));
    await remove(store, first);
    await register(store, second);
    expect(store.ports.records.progress(second, 'e')).toMatchObject({ highest: 8, gaps: [], isBeginning: true });
    expect(await store.ports.records.append(second, 'e', sampleEvents(6, 10))).toMatchObject({ stored: 2, duplicates: 3 });
    expect(store.ports.records.progress(second, 'e')).toMatchObject({ highest: 10, gaps: [], isBeginning: false });
    await remove(store, second);
    await register(store, third);
    await store.stop();

    const { store: next } = await startedStore(directory);
    expect(next.ports.records.progress(third, 'e')).toMatchObject({ highest: 10, gaps: [], isBeginning: true });
    expect(await next.ports.records.append(third, 'e', sampleEvents(1, 11))).toMatchObject({ stored: 1, duplicates: 10 });
    expect(await Promise.all([first, second, third].map((id) => seqsOf(next, id)))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [9, 10], [11]]);
    await next.stop();
  }));

test('events from between the two registrations that the lock no longer has do not count as missing; later ones do', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await register(store, first);
    await store.ports.records.append(first, 'e', sampleEvents(1, 8));
    await remove(store, first);
    await register(store, second);
    await store.ports.records.append(second, 'e', sampleEvents(998, 1_000));
    expect(store.ports.records.progress(second, 'e')).toMatchObject({ highest: 1_000, gaps: [], isBeginning: false });
    await store.ports.records.append(second, 'e', sampleEvents(1_003, 1_003));
    expect(store.ports.records.progress(second, 'e').gaps).toEqual([[1_001, 1_002]]);
    await store.stop();
  }));

test('an event that was under way at the removal and never stored is not requested, but stored when it arrives', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await register(store, first);
    await store.ports.records.append(first, 'e', [...sampleEvents(1, 5), ...sampleEvents(8, 10)]);
    await remove(store, first);
    await register(store, second);
    expect(await store.ports.records.append(second, 'e', sampleEvents(6, 11))).toMatchObject({ stored: 3, duplicates: 3 });
    expect(store.ports.records.progress(second, 'e')).toMatchObject({ highest: 11, gaps: [], isBeginning: false });
    expect(await seqsOf(store, second)).toEqual([6, 7, 11]);
    await store.stop();
  }));

test('another device, and another epoch of the same device, begins without that history', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await register(store, first);
    await store.ports.records.append(first, 'e', sampleEvents(1, 8));
    await remove(store, first);
    await register(store, second);
    await store.ports.locks.add(sampleLock(3));
    for (const [id, epoch] of [[second, 'f'] as const, [third, 'e'] as const]) {
      expect(store.ports.records.progress(id, epoch)).toEqual({ highest: 0, gaps: [], isBeginning: true });
      expect(await store.ports.records.append(id, epoch, sampleEvents(1, 8))).toMatchObject({ stored: 8 });
    }
    await store.stop();
  }));
