// The store adapter: implements every store port of the domain with plain JSON files in one data directory.
import { resolve } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { Log, Part } from '../../domain/part.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Stores, WallClockTrust } from '../../domain/stores.ts';
import { claimDirectory } from './claim-directory.ts';
import { createDirectoryLock } from './directory-lock.ts';
import type { OpenedDocuments } from './document-stores.ts';
import { type FileLayer, nodeFiles } from './files.ts';
import { guardFlushes } from './flush-guard.ts';
import { createStoreFiles } from './store-files.ts';
import { createStoreMaintenance, type StoreMaintenance } from './store-maintenance.ts';

export interface StoreOptions {
  /** The data directory; made (0700) when it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the token of the first start. */
  readonly secrets: Secrets;
  /** Returns a token to use instead of a new one; called at the first start alone, which fails when this rejects. */
  readonly givenAdminToken?: () => Promise<string | undefined>;
  /** Called once, after a flush has failed: the process must end without the promises of a clean stop (Fault T4). */
  readonly onFatal: (error: Error) => void;
  /** Emits each change when readers begin to see it, before its caller gets the answer; by default nothing happens. */
  readonly emit?: Emit;
  readonly files?: FileLayer;
  /** Called once, at a start on data of an older program, before any of it is changed; the start fails when this rejects. */
  readonly beforeUpgrade?: () => Promise<void>;
  /** Whether something synchronises the wall clock; called only while the clock is suspect. By default it asks the kernel. */
  readonly isClockSynchronised?: () => Promise<boolean>;
}

/** Everything but `start` and `stop` may be used only between them. */
export interface Store extends Part {
  /** What the domain uses. */
  readonly ports: Stores;
  readonly clockTrust: WallClockTrust;
  readonly maintenance: StoreMaintenance;
}

/** `start` rejects with one sentence that names the file or the directory and says what to do. */
export function createStore(options: StoreOptions): Store {
  const { directory, log, onFatal, emit = () => undefined } = options;
  const unguarded = options.files ?? nodeFiles();
  const files = guardFlushes(unguarded, onFatal, (error) => emit('storage-failed', { error }));
  // Without the guard: the lock is released even after a failed flush.
  const directoryLock = createDirectoryLock({ files: unguarded, directory, log });
  const storeFiles = createStoreFiles({ ...options, files, emit });
  const { lockFiles, records, clockTrust } = storeFiles;
  let opened: OpenedDocuments | undefined;
  let stopping: Promise<void> | undefined;

  function whenOpen(): OpenedDocuments {
    if (!opened) throw new Error('the store is not started');
    return opened;
  }

  return {
    name: 'store',
    async start() {
      await claimDirectory({ files, unguarded, directory, directoryLock });
      try {
        opened = await storeFiles.open();
      } catch (error) {
        await storeFiles.close();
        await quietly(directoryLock.release());
        throw error;
      }
      log.info({ directory: resolve(directory), locks: lockFiles.locks.all().length, records: records.count() }, 'the store is open');
      // In the background: doors do not wait for it, but `stop` does.
      void records.seal();
    },
    stop() {
      stopping ??= (async () => {
        if (opened) await storeFiles.close();
        files.close();
        await quietly(directoryLock.release());
      })();
      return stopping;
    },
    ports: storeFiles.ports,
    clockTrust: { clockIsSuspect: clockTrust.isSuspect, clockIsTrusted: clockTrust.isTrusted, acceptClock: clockTrust.accept },
    maintenance: createStoreMaintenance({ files, unguarded, directory, storeFiles, whenOpen }),
  };
}

async function quietly(action: Promise<void>): Promise<void> {
  await action.catch(() => undefined);
}
