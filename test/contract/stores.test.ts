// The contract of every store port, over the stores in memory and those on the disk.
import { describe } from '@jest/globals';
import type { Stores } from '../../src/domain/stores.ts';
import { startedStore, withDirectory } from '../stores/files/support/directory.ts';
import {
  createMemoryAccounts,
  createMemoryAlarms,
  createMemoryCounters,
  createMemoryHubs,
  createMemoryLocks,
  createMemoryQuarantine,
  createMemoryRecords,
  createMemoryRemovedLocks,
  createMemoryStatuses,
} from '../support/memory-stores.ts';
import { createNotedEvents } from '../support/noted-events.ts';
import type { RunOver } from './adapters.ts';
import { changeFeedContract } from './change-feed.contract.ts';
import { lockStoreContract } from './lock-store.contract.ts';
import { recordStoreContract } from './record-store.contract.ts';
import {
  accountStoreContract,
  alarmStoreContract,
  counterStoreContract,
  hubStoreContract,
  quarantineContract,
  removedLockStoreContract,
  statusStoreContract,
} from './small-stores.contract.ts';

describe('in memory', () => {
  lockStoreContract((run) => run(createMemoryLocks()));
  recordStoreContract((run) => run(createMemoryRecords()));
  accountStoreContract((run) => run(createMemoryAccounts()));
  alarmStoreContract((run) => run(createMemoryAlarms()));
  hubStoreContract((run) => run(createMemoryHubs()));
  counterStoreContract((run) => run(createMemoryCounters()));
  removedLockStoreContract((run) => run(createMemoryRemovedLocks()));
  statusStoreContract((run) => run(createMemoryStatuses()));
  quarantineContract((run) => run(createMemoryQuarantine()));
  changeFeedContract((run) => {
    const { events, emit } = createNotedEvents();
    const statuses = createMemoryStatuses(emit);
    return run({
      events,
      stores: {
        ...createMemoryLocks([], emit),
        statuses,
        accounts: createMemoryAccounts(undefined, emit),
        records: createMemoryRecords(emit),
      },
    });
  });
});

describe('on the disk', () => {
  function onDisk<T>(pick: (stores: Stores) => T): RunOver<T> {
    return (run) =>
      withDirectory(async (directory) => {
        const { store } = await startedStore(directory);
        try {
          await run(pick(store.ports));
        } finally {
          await store.stop();
        }
      });
  }
  lockStoreContract(onDisk((stores) => stores));
  recordStoreContract(onDisk(({ records }) => records));
  accountStoreContract(onDisk(({ accounts }) => accounts));
  alarmStoreContract(onDisk(({ alarms }) => alarms));
  hubStoreContract(onDisk(({ hubs }) => hubs));
  counterStoreContract(onDisk(({ counters }) => counters));
  removedLockStoreContract(onDisk(({ removedLocks }) => removedLocks));
  statusStoreContract(onDisk(({ statuses }) => statuses));
  quarantineContract(onDisk(({ quarantine }) => quarantine));
  changeFeedContract((run) =>
    withDirectory(async (directory) => {
      const { store, events } = await startedStore(directory);
      try {
        await run({ stores: store.ports, events });
      } finally {
        await store.stop();
      }
    }),
  );
});
