// Management of a data directory that no daemon uses.
import { expect, test } from '@jest/globals';
import { manageDirectory } from '../../../src/admin/offline/offline-admin.ts';
import { captureLog, startedStore, withDirectory } from '../../stores/files/support/directory.ts';
import { lockId, sampleLock } from '../../stores/files/support/samples.ts';

test('a lock that is removed leaves nothing of its battery behind (HTTP API 8.1)', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.counters.next('lockId');
    await store.ports.locks.add(sampleLock(1));
    store.ports.statuses.patch(lockId(1), { batteryPercent: 92 });
    await store.ports.batteries.update(lockId(1), () => [{ at: 1, percent: 92 }]);
    await store.stop();
    const onFatal = (error: Error): never => {
      throw error;
    };
    await manageDirectory(directory, { log: captureLog(), onFatal }, (management) => {
      const remove = management['DELETE /api/v1/gateway/locks/{lockId}'];
      return remove?.({ parameters: { lockId: '1' } }) ?? Promise.reject(new Error('there is no such route'));
    });
    const { store: again } = await startedStore(directory);
    expect(again.ports.locks.all()).toEqual([]);
    expect(await again.ports.batteries.levels(lockId(1))).toEqual([]);
    expect(again.ports.statuses.get(lockId(1)).batteryPercent).toBeNull();
    await again.stop();
  }));
