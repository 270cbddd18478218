// One document per lock, in a folder, and its entries in a file beside it (entry-files.ts): the cost of a write depends on one lock, not on
// the number of locks. A damaged document disables only its lock.
import type { EntryStore } from '../../../domain/credentials/entry-ports.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { DeviceId, Lock, LockId } from '../../../domain/locks/lock.ts';
import type { LockStore } from '../../../domain/locks/lock-ports.ts';
import type { Log } from '../../../domain/part.ts';
import { createSortedItems } from '../../../domain/sorted.ts';
import type { FileLayer } from '../files.ts';
import { partlyDone, storageUnavailable } from '../flush-guard.ts';
import { createDisabledLocks, type DisabledLock } from './disabled-locks.ts';
import { type BeforeUpgrade, conflict, createDocument, type Document } from './document.ts';
import { NewerSchemaError } from './document-format.ts';
import { previousOf, removeIfThere } from './durable-file.ts';
import { createEntryFiles, type EntryFiles } from './entry-files.ts';
import { createFollowedDocuments } from './followed-documents.ts';
import { type LockDocument, lockDocumentFormat } from './lock-document.ts';
import { lostDocuments, missingLock, registeredLocks } from './lock-file-names.ts';

export interface LockFiles {
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly entryFiles: Pick<EntryFiles, 'highest' | 'forget' | 'hold' | 'backupSource' | 'removeLeft'>;
  /** Reads every document. Rejects when a newer program wrote one of them. */
  open(): Promise<void>;
  disabled(): readonly DisabledLock[];
  /** The highest id in use, disabled locks included. */
  highest(): { readonly lockId: number };
  /** The names of all documents with their content on the disk; undefined: a damaged one, to be copied as it is. */
  flushed(): readonly (readonly [name: string, text: (() => Buffer) | undefined])[];
  /** Resolves when no write is running. */
  idle(): Promise<void>;
}

/** A lock that readers see. */
interface Entry {
  readonly document: Document<LockDocument>;
  removing?: Promise<DomainError | undefined>;
}

/** How many documents are read at once: all of a large gateway would fill the memory with texts. */
const readsAtOnce = 32;

export function createLockFiles(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): LockFiles {
  const { files, directory, log, emit, beforeUpgrade } = options;
  const folder = `${directory}/locks`;
  const entries = new Map<LockId, Entry>();
  const byDevice = new Map<DeviceId, Document<LockDocument>>();
  const disabled = createDisabledLocks({ files, log });
  const sorted = createSortedItems<Lock>(({ lockId }) => lockId);
  /** Of locks that are being added, by both of their ids. */
  const arriving = new Map<LockId | DeviceId, Document<LockDocument>>();
  let isOpen = false;

  const pathOf = (lockId: LockId): string => `${folder}/${lockId}.json`;

  function documentOf(lockId: LockId): Document<LockDocument> {
    const document = createDocument({ files, path: pathOf(lockId), format: lockDocumentFormat, onFlushed, beforeUpgrade });
    function onFlushed({ lock }: LockDocument, old: LockDocument | undefined): void {
      if (old === undefined && isOpen) enter(document);
      if (old === undefined || lock === old.lock || !entries.has(lockId)) return;
      sorted.put(lock);
      emit('lock-changed', { before: old.lock, after: lock });
    }
    return document;
  }
  /** Readers see the lock of this document from now on. */
  function enter(document: Document<LockDocument>): void {
    const { lock } = document.current();
    entries.set(lock.lockId, { document });
    byDevice.set(lock.deviceId, document);
    sorted.put(lock);
    if (isOpen) emit('lock-changed', { before: undefined, after: lock });
  }
  /** Nobody sees the lock of this document any more. */
  function leave(document: Document<LockDocument>): void {
    const { lock } = document.current();
    entries.delete(lock.lockId);
    byDevice.delete(lock.deviceId);
    sorted.remove(lock.lockId);
    emit('lock-changed', { before: lock, after: undefined });
  }
  /** The document, or the reason why it cannot be read. */
  async function load(lockId: LockId): Promise<{ lockId: LockId; document: Document<LockDocument>; error?: unknown }> {
    const document = documentOf(lockId);
    try {
      await document.load();
      await moveCards(lockId, document);
      return { lockId, document };
    } catch (error) {
      return { lockId, document, error };
    }
  }
  /**
   * First the complete file of entries, then the document without cards: until the second write, the cards in the document are the valid
   * ones.
   */
  async function moveCards(lockId: LockId, document: Document<LockDocument>): Promise<void> {
    const { lock, toMove } = document.current();
    if (toMove === undefined || lock.lockId !== lockId) return;
    const hasCards = toMove === 'in-file' || toMove.length > 0;
    if (toMove === 'in-file') await entryFiles.upgrade(lockId);
    else if (hasCards) await entryFiles.adopt(lockId, toMove);
    await document.put({ lock, hasCards });
  }
  async function takeIn({ lockId, document, error: failure }: Awaited<ReturnType<typeof load>>): Promise<void> {
    try {
      if (failure !== undefined) throw failure;
      const { deviceId, lockId: inside } = document.current().lock;
      if (inside !== lockId) throw new Error(`${pathOf(lockId)} is damaged: it holds lock ${inside}`);
      if (byDevice.has(deviceId)) throw new Error(`${pathOf(lockId)} has the deviceId of another lock`);
      enter(document);
    } catch (error) {
      // A disk that rejects writes does not mean that the document is damaged.
      if (error instanceof NewerSchemaError || error instanceof DomainError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      await disabled.add(lockId, reason, pathOf(lockId));
    }
  }
  /**
   * Starts `work` on the document in the same tick in which the lock is present and not being removed: a later write would outlive the
   * removal.
   */
  async function onPresent<T>(lockId: LockId, work: (entry: Entry) => Promise<T>): Promise<T> {
    for (;;) {
      const entry = entries.get(lockId);
      if (!entry) throw new DomainError('lock-not-found', `there is no lock ${lockId}`);
      if (!entry.removing) return work(entry);
      await entry.removing.catch(() => undefined);
    }
  }
  /** Resolves when the document is deleted, and the lock with it; with an error when other files of the lock may be left. */
  async function discard(lockId: LockId, { document }: Entry): Promise<DomainError | undefined> {
    // A running change of the lock's cards may still write the document.
    await entryFiles.settled(lockId);
    await document.idle();
    try {
      // Copies first: they must not outlive the lock, and a lock that has a copy but no document counts as lost.
      for (const copy of ['previous', 'previous.tmp', 'tmp', 'schema-1', 'schema-2', 'schema-3'])
        await removeIfThere(files, `${pathOf(lockId)}.${copy}`);
      await removeIfThere(files, pathOf(lockId));
    } catch (error) {
      throw storageUnavailable(error);
    }
    const left = await removeRest(lockId);
    leave(document);
    return left;
  }
  async function removeRest(lockId: LockId): Promise<DomainError | undefined> {
    try {
      await files.syncFolder(folder);
      await entryFiles.remove(lockId);
      return undefined;
    } catch (error) {
      const what = `lock ${lockId} is removed, but the file of its cards (cards/${lockId}.jsonl) may be left`;
      return partlyDone(error, `${what}: the next start of the gateway deletes it`);
    }
  }
  function isTaken({ lockId, deviceId }: Lock): boolean {
    const isThere = entries.has(lockId) || byDevice.has(deviceId) || arriving.has(lockId) || arriving.has(deviceId);
    return isThere || disabled.has(lockId) || disabled.hasDevice(deviceId);
  }
  const entryFiles = createEntryFiles({
    files,
    directory,
    log,
    emit,
    owners: {
      has: (lockId) => entries.has(lockId),
      isDisabled: (lockId) => disabled.has(lockId),
      hasCards: (lockId) => entries.get(lockId)?.document.current().hasCards === true,
      async markCards(lockId) {
        await entries.get(lockId)?.document.update((now) => (now.hasCards ? now : { ...now, hasCards: true }));
      },
      whilePresent: (lockId, work) => onPresent(lockId, work),
    },
  });

  const locks: LockStore = {
    all: sorted.all,
    get: (lockId) => entries.get(lockId)?.document.current().lock,
    byDevice: (deviceId) => byDevice.get(deviceId)?.current().lock,
    isDisabled: disabled.hasDevice,
    async add(lock) {
      if (isTaken(lock)) throw conflict('a lock with this MAC address is registered already');
      const document = documentOf(lock.lockId);
      const ids = [lock.lockId, lock.deviceId];
      for (const id of ids) arriving.set(id, document);
      const end = (): void => ids.forEach((id) => void arriving.delete(id));
      const added = document.put({ lock, hasCards: false });
      // Its caller may hear that the store does not answer while it is still being written.
      added.then(end, () => document.idle().then(end));
      await added;
    },
    async update(lockId, change) {
      const after = await onPresent(lockId, ({ document }) =>
        document.update((newest) => {
          const lock = change(newest.lock);
          return lock === newest.lock ? newest : { ...newest, lock };
        }),
      );
      return after.lock;
    },
    remove: (lockId) =>
      onPresent(lockId, (entry) => {
        entry.removing = discard(lockId, entry).finally(() => {
          delete entry.removing;
        });
        return entry.removing;
      }),
  };

  return {
    locks,
    entries: entryFiles.entries,
    entryFiles,
    async open() {
      files.tables?.followFolder(
        folder,
        createFollowedDocuments({
          idIn: (name) => registeredLocks([name])[0],
          get: (id) => entries.get(id)?.document,
          make: documentOf,
          leave,
        }),
      );
      await entryFiles.open();
      const names = await files.readdir(folder);
      const lockIds = registeredLocks(names);
      for (let from = 0; from < lockIds.length; from += readsAtOnce) {
        const loaded = await Promise.all(lockIds.slice(from, from + readsAtOnce).map(load));
        // One after the other, by lockId: when two documents have the same deviceId, the newer lock is always the one that is disabled.
        for (const one of loaded) await takeIn(one);
      }
      for (const lockId of lostDocuments(names)) await disabled.add(lockId, missingLock(pathOf(lockId)), previousOf(pathOf(lockId)));
      isOpen = true;
    },
    disabled: disabled.all,
    highest: () => ({ lockId: [...entries.keys(), ...disabled.lockIds()].reduce<number>((most, id) => Math.max(most, id), 0) }),
    flushed: () => [
      ...[...entries].map(([lockId, { document }]) => [`${lockId}.json`, document.flushedText()] as const),
      ...[...disabled.lockIds()].map((lockId) => [`${lockId}.json`, undefined] as const),
    ],
    async idle() {
      await entryFiles.idle();
      await Promise.all(
        [...arriving.values(), ...Array.from(entries.values(), ({ document }) => document)].map((document) => document.idle()),
      );
    },
  };
}
