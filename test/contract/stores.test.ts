// The contract of every store port, over the stores in memory, those on the disk, and those in a database.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import type { Stores } from '../../src/domain/stores.ts';
import type { Store } from '../../src/stores/files/store.ts';
import { startedStore, withDirectory } from '../stores/files/support/directory.ts';
import { startedPostgresStore, withPostgresStore } from '../stores/postgres/support/store.ts';
import { createMemoryAccessLog } from '../support/memory-access-log.ts';
import {
  createMemoryAccounts,
  createMemoryAlarms,
  createMemoryAudit,
  createMemoryBatteries,
  createMemoryCounters,
  createMemoryCredentials,
  createMemoryHomeCode,
  createMemoryHubs,
  createMemoryImports,
  createMemoryLocks,
  createMemoryPause,
  createMemoryPeople,
  createMemoryQuarantine,
  createMemoryRecords,
  createMemoryRemovedLocks,
  createMemoryRevocations,
  createMemorySchedules,
  createMemorySettings,
  createMemorySignIns,
  createMemoryStatuses,
  createMemoryTtlockLogins,
  createMemoryWebhooks,
} from '../support/memory-stores.ts';
import { createNotedEvents } from '../support/noted-events.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { serverOfRun } from '../support/postgres-for-run.ts';
import { createStoredSite } from '../support/site-stored.ts';
import { accessLogContract } from './access-log.contract.ts';
import type { RunOver } from './adapters.ts';
import { changeFeedContract } from './change-feed.contract.ts';
import { entryStoreContract } from './entry-store.contract.ts';
import { importStoreContract } from './import-store.contract.ts';
import { lockStoreContract } from './lock-store.contract.ts';
import { pauseStoreContract, type ReopenedPause } from './pause-store.contract.ts';
import { personStoreContract, scheduleStoreContract } from './people-stores.contract.ts';
import { recordStoreContract } from './record-store.contract.ts';
import { revocationStoreContract } from './revocation-store.contract.ts';
import {
  accountSettingsContract,
  accountStoreContract,
  alarmStoreContract,
  auditStoreContract,
  batteryStoreContract,
  counterStoreContract,
  credentialStoreContract,
  hubStoreContract,
  quarantineContract,
  removedLockStoreContract,
  signInStoreContract,
  statusStoreContract,
  ttlockLoginStoreContract,
  webhookStoreContract,
} from './small-stores.contract.ts';

/** Runs a contract on the pause of a store that is started again and again. */
async function overPause(
  directory: string,
  database: TestDatabase | undefined,
  start: () => Promise<{ readonly store: Store }>,
  run: (pause: ReopenedPause) => Promise<void>,
): Promise<void> {
  const { put } = createStoredSite(directory, database);
  let store: Store | undefined;
  const stop = async () => store?.stop();
  try {
    await run({
      async reopened(restoredAt) {
        await stop();
        if (restoredAt !== undefined) await put('access-paused.json', { schemaVersion: 1, since: restoredAt });
        ({ store } = await start());
        return store.ports.pause;
      },
    });
  } finally {
    await stop();
  }
}

describe('in memory', () => {
  lockStoreContract((run) => run(createMemoryLocks()));
  entryStoreContract((run) => run(createMemoryLocks()));
  recordStoreContract((run) => run(createMemoryRecords()));
  accessLogContract((run) => run(createMemoryAccessLog(() => Date.UTC(2026, 10, 21, 9))));
  accountStoreContract((run) => run(createMemoryAccounts()));
  alarmStoreContract((run) => run(createMemoryAlarms()));
  hubStoreContract((run) => run(createMemoryHubs()));
  counterStoreContract((run) => run(createMemoryCounters()));
  removedLockStoreContract((run) => run(createMemoryRemovedLocks()));
  statusStoreContract((run) => run(createMemoryStatuses()));
  quarantineContract((run) => run(createMemoryQuarantine()));
  batteryStoreContract((run) => run(createMemoryBatteries()));
  accountSettingsContract((run) => run(createMemorySettings()));
  signInStoreContract((run) => run(createMemorySignIns()));
  credentialStoreContract((run) => run(createMemoryCredentials()));
  ttlockLoginStoreContract((run) => run(createMemoryTtlockLogins()));
  webhookStoreContract((run) => run(createMemoryWebhooks()));
  auditStoreContract((run) => run(createMemoryAudit()));
  personStoreContract((run) => run(createMemoryPeople()));
  revocationStoreContract((run) => run(createMemoryRevocations()));
  importStoreContract((run) => run(createMemoryImports()));
  scheduleStoreContract((run) => run(createMemorySchedules()));
  pauseStoreContract((run) => {
    const pause = createMemoryPause();
    return run({
      async reopened(restoredAt) {
        if (restoredAt !== undefined) pause.begin(restoredAt);
        return pause;
      },
    });
  });
  changeFeedContract((run) => {
    const { events, emit } = createNotedEvents();
    const statuses = createMemoryStatuses(emit);
    return run({
      events,
      stores: {
        ...createMemoryLocks([], emit),
        statuses,
        accounts: createMemoryAccounts(undefined, emit),
        hubs: createMemoryHubs(emit),
        webhooks: createMemoryWebhooks(emit),
        records: createMemoryRecords(emit),
        people: createMemoryPeople(emit),
        revocations: createMemoryRevocations(emit),
        alarms: createMemoryAlarms(emit),
        homeCode: createMemoryHomeCode(emit),
        schedules: createMemorySchedules(emit),
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
  entryStoreContract(onDisk((stores) => stores));
  recordStoreContract(onDisk(({ records }) => records));
  accessLogContract(onDisk(({ access }) => access));
  accountStoreContract(onDisk(({ accounts }) => accounts));
  alarmStoreContract(onDisk(({ alarms }) => alarms));
  hubStoreContract(onDisk(({ hubs }) => hubs));
  counterStoreContract(onDisk(({ counters }) => counters));
  removedLockStoreContract(onDisk(({ removedLocks }) => removedLocks));
  statusStoreContract(onDisk(({ statuses }) => statuses));
  quarantineContract(onDisk(({ quarantine }) => quarantine));
  batteryStoreContract(onDisk(({ batteries }) => batteries));
  accountSettingsContract(onDisk(({ settings }) => settings));
  signInStoreContract(onDisk(({ signIns }) => signIns));
  credentialStoreContract(onDisk(({ signInCredentials }) => signInCredentials));
  ttlockLoginStoreContract(onDisk(({ ttlockLogins }) => ttlockLogins));
  webhookStoreContract(onDisk(({ webhooks }) => webhooks));
  auditStoreContract(onDisk(({ audit }) => audit));
  personStoreContract(onDisk(({ people }) => people));
  revocationStoreContract(onDisk(({ revocations }) => revocations));
  importStoreContract(onDisk(({ imports }) => imports));
  scheduleStoreContract(onDisk(({ schedules }) => schedules));
  pauseStoreContract((run) => withDirectory((directory) => overPause(directory, undefined, () => startedStore(directory), run)));
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

describe('in PostgreSQL', () => {
  function inPostgres<T>(pick: (stores: Stores) => T): RunOver<T> {
    return async (run) => withPostgresStore(await serverOfRun(), ({ store }) => run(pick(store.ports)));
  }
  lockStoreContract(inPostgres((stores) => stores));
  entryStoreContract(inPostgres((stores) => stores));
  recordStoreContract(inPostgres(({ records }) => records));
  accessLogContract(inPostgres(({ access }) => access));
  accountStoreContract(inPostgres(({ accounts }) => accounts));
  alarmStoreContract(inPostgres(({ alarms }) => alarms));
  hubStoreContract(inPostgres(({ hubs }) => hubs));
  counterStoreContract(inPostgres(({ counters }) => counters));
  removedLockStoreContract(inPostgres(({ removedLocks }) => removedLocks));
  statusStoreContract(inPostgres(({ statuses }) => statuses));
  quarantineContract(inPostgres(({ quarantine }) => quarantine));
  batteryStoreContract(inPostgres(({ batteries }) => batteries));
  accountSettingsContract(inPostgres(({ settings }) => settings));
  signInStoreContract(inPostgres(({ signIns }) => signIns));
  credentialStoreContract(inPostgres(({ signInCredentials }) => signInCredentials));
  ttlockLoginStoreContract(inPostgres(({ ttlockLogins }) => ttlockLogins));
  webhookStoreContract(inPostgres(({ webhooks }) => webhooks));
  auditStoreContract(inPostgres(({ audit }) => audit));
  personStoreContract(inPostgres(({ people }) => people));
  revocationStoreContract(inPostgres(({ revocations }) => revocations));
  importStoreContract(inPostgres(({ imports }) => imports));
  scheduleStoreContract(inPostgres(({ schedules }) => schedules));
  pauseStoreContract(async (run) => {
    const database = await (await serverOfRun()).newDatabase();
    await withDirectory((directory) => {
      // A directory is this process's until it ends.
      const start = () => startedPostgresStore(database.address, mkdtempSync(join(directory, 'box-')));
      return overPause(directory, database, start, run);
    }).finally(database.drop);
  });
  changeFeedContract(async (run) => withPostgresStore(await serverOfRun(), ({ store, events }) => run({ stores: store.ports, events })));
});
