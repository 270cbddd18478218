// A store over a database of its own, for the tests of this folder and the contracts.
import type { Clock } from '../../../../src/domain/clock.ts';
import { createEventBus, type EventBus } from '../../../../src/domain/event-bus.ts';
import { createClock } from '../../../../src/platform/clock.ts';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import type { DatabaseAddress } from '../../../../src/stores/postgres/connection.ts';
import { createPostgresStore, type PostgresStore } from '../../../../src/stores/postgres/store.ts';
import type { PostgresDatabases } from '../../../support/postgres.ts';
import { type CapturedLog, captureLog, withDirectory } from '../../files/support/directory.ts';

export interface StartedStore {
  readonly store: Store;
  readonly events: EventBus;
  readonly log: CapturedLog;
  readonly address: DatabaseAddress;
  readonly directory: string;
  /** Errors after which the process would have to end. */
  readonly fatal: Error[];
}

/** The date of the other stores' tests, with timers that run. */
const fixedDate = (): Clock => ({ ...createClock(), now: () => Date.UTC(2026, 10, 21, 9) });

/** Starts a store on this database. */
export async function startedPostgresStore(address: DatabaseAddress, directory: string): Promise<StartedStore> {
  const begun = postgresStoreOn(address, directory, 'box-1');
  try {
    await begun.store.directory.start();
    await begun.store.start();
  } catch (error) {
    await begun.store.stop();
    await begun.store.directory.stop();
    throw error;
  }
  return begun;
}

/** A store of the node with this name, which is not started. */
export function postgresStoreOn(
  address: DatabaseAddress,
  directory: string,
  name: string,
  leaseMs = 30_000,
): StartedStore & { readonly store: PostgresStore } {
  const events = createEventBus((_name, error) => {
    throw error;
  });
  const [log, fatal] = [captureLog(), [] as Error[]];
  const store = createPostgresStore({
    ...{ address, directory, log, clock: fixedDate(), secrets: createSecrets(), emit: events.emit },
    node: { name, url: null, bootId: 'boot', leaseMs },
    password: async () => undefined,
    onFatal: (error) => void fatal.push(error),
  });
  return { store, events, log, address, directory, fatal };
}

/** Runs `run` on a store over a new database, and removes both. */
export function withPostgresStore(server: PostgresDatabases, run: (started: StartedStore) => Promise<void>): Promise<void> {
  return withDirectory(async (directory) => {
    const made = await server.newDatabase();
    const started = await startedPostgresStore(made.address, directory);
    try {
      await run(started);
    } finally {
      await started.store.stop();
      await made.drop();
    }
  });
}
