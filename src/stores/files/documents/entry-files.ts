// The entries of each lock, in one file of rows per lock: an entry costs one write, and a file is read only on demand. The entries of
// recently used locks stay in memory. A damaged file disables only the entries of its lock.
import type { EntryStore } from '../../../domain/credentials/entry-ports.ts';
import { createEntries, type EntriesChange, type EntryLookUp, type LockEntries } from '../../../domain/credentials/lock-entries.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import { type BackupSource, sourceOfPath } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { createCardSnapshots } from './card-snapshots.ts';
import { DamagedDocumentError } from './document-format.ts';
import { readIfThere, removeIfThere } from './durable-file.ts';
import type { LockInMemory } from './entries-in-memory.ts';
import { createEntryLoader } from './entry-loader.ts';
import { cardFileName, cardPath, entryFormat, firstRows, rowsForgotten, rowsOf } from './entry-row.ts';
import { changedRows } from './entry-row-changes.ts';
import { createFollowedCards } from './followed-cards.ts';
import { entriesOf, type OlderRow } from './older-card-row.ts';
import { isOlderFile, readTop } from './row-reader.ts';

/** What the lock documents know about the cards of their locks. */
export interface EntryOwners {
  has(lockId: LockId): boolean;
  /** The lock is disabled, because its document is damaged. */
  isDisabled(lockId: LockId): boolean;
  /** The lock has, or had, a file of cards: if the file is missing, something was lost. */
  hasCards(lockId: LockId): boolean;
  /** Notes durably that the lock has a file of cards from now on. `storage-unavailable`. */
  markCards(lockId: LockId): Promise<void>;
  /** Starts `work` while the lock exists, and the lock is not removed before it ends; `lock-not-found`. */
  whilePresent<T>(lockId: LockId, work: () => Promise<T>): Promise<T>;
}

export interface EntryFiles {
  readonly entries: EntryStore;
  /** Lists the existing files; reads none of them. */
  open(): Promise<void>;
  /** Makes the file for a lock whose document contained the cards until now, and replaces an existing file. `storage-unavailable`. */
  adopt(lockId: LockId, older: readonly OlderRow[]): Promise<void>;
  /** Rewrites a file of an older program; a damaged or missing one stays as it is. `storage-unavailable`. */
  upgrade(lockId: LockId): Promise<void>;
  /** Resolves when no change of that lock's cards is running. Never rejects. */
  settled(lockId: LockId): Promise<void>;
  /** Deletes the file of a lock that is being removed. */
  remove(lockId: LockId): Promise<void>;
  /**
   * Deletes what an interrupted removal left: the files of locks that no longer exist and for which `wasRemoved` is true. Never rejects.
   */
  removeLeft(wasRemoved: (lockId: LockId) => boolean): Promise<void>;
  /** The highest cardId that any file contains or contained. */
  highest(): Promise<number>;
  /** Forgets past holders of card numbers whose time ended before this date. `storage-unavailable`. */
  forget(before: number): Promise<void>;
  /** Keeps the sources of `backupSource` readable until the returned function is called. */
  hold(): () => void;
  /** All files with their present content. */
  backupSource(): readonly BackupSource[];
  idle(): Promise<void>;
}

/** How many files are read at once. */
const readsAtOnce = 16;
const noEntries: LockEntries = createEntries();
/** Of one question to a database. */
const locksAtOnce = 1_000;
/** The beginning of a past holder's key, and of its row in a line. */
const pastKey = 'past ';
const pastMark = `["${pastKey}`;

export function createEntryFiles(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly owners: EntryOwners;
}): EntryFiles {
  const { files, directory, log, emit, owners } = options;
  const folder = `${directory}/cards`;
  /** The locks that have a file. */
  const present = new Set<LockId>();
  const changing = new Map<LockId, Set<Promise<unknown>>>();
  const snapshots = createCardSnapshots();
  const loader = createEntryLoader({ files, directory, log, emit, mayCompact: () => !snapshots.isHeld() });
  const { inMemory, rowsFor, load, begin, using } = loader;

  const pathOf = (lockId: LockId): string => `${directory}/${cardPath(lockId)}`;

  /** A file that the document does not know is empty: a start was interrupted after it made the file. */
  const hasFile = (lockId: LockId): boolean => loader.begun(lockId) !== undefined || owners.hasCards(lockId);

  function viewNow(lockId: LockId): LockEntries | undefined {
    if (!owners.has(lockId)) return noEntries;
    return inMemory.get(lockId)?.held ?? (hasFile(lockId) ? undefined : noEntries);
  }

  /** Makes an empty file, and notes it in the lock's document before any card is in it, so that a lost file is noticed. */
  async function make(lockId: LockId): Promise<LockInMemory> {
    const one = rowsFor(lockId);
    await one.rows.create([]);
    present.add(lockId);
    await owners.markCards(lockId);
    inMemory.add(lockId, one);
    return one;
  }

  async function change(lockId: LockId, wanted: (newest: EntryLookUp) => EntriesChange): Promise<void> {
    if (!hasFile(lockId) && rowsOf(wanted(noEntries)).length === 0) return;
    const one = await (hasFile(lockId) ? load(lockId) : begin(lockId, make));
    await using(lockId, one, async (there) => {
      await there.rows.update((newest) => changedRows(there, newest, wanted));
      void there.rows.tidy();
    });
  }

  function whileChanging<T>(lockId: LockId, work: Promise<T>): Promise<T> {
    const others = changing.get(lockId) ?? new Set();
    changing.set(lockId, others.add(work));
    const ended = () => {
      others.delete(work);
      if (others.size === 0 && changing.get(lockId) === others) changing.delete(lockId);
    };
    work.then(ended, ended);
    return work;
  }

  async function settled(lockId: LockId): Promise<void> {
    await Promise.allSettled([...(changing.get(lockId) ?? []), loader.begun(lockId)]);
    await inMemory.get(lockId)?.rows.idle();
  }
  async function remove(lockId: LockId): Promise<void> {
    await settled(lockId);
    loader.forget(lockId);
    if (!present.has(lockId)) return;
    if (snapshots.isHeld()) snapshots.keep(lockId, (await readIfThere(files, pathOf(lockId))) ?? Buffer.alloc(0));
    await removeIfThere(files, `${pathOf(lockId)}.schema-1`);
    await removeIfThere(files, pathOf(lockId));
    await files.syncFolder(folder);
    present.delete(lockId);
  }

  /** Those of these locks that may have past holders from before this date: a database says which. */
  async function withPastBefore(lockIds: readonly LockId[], before: number): Promise<readonly LockId[]> {
    if (files.tables === undefined) return lockIds;
    const found = new Set(await files.tables.filesWithRow(lockIds.map(pathOf), { key: pastKey, member: 'to', below: before }));
    return lockIds.filter((lockId) => found.has(pathOf(lockId)));
  }
  async function forgetOf(lockId: LockId, before: number): Promise<void> {
    const wasInMemory = inMemory.get(lockId) !== undefined;
    if (!wasInMemory && !(await readIfThere(files, pathOf(lockId)))?.includes(pastMark)) return;
    const one = await load(lockId);
    const old = [...one.held.allPast()].filter(({ to }) => to < before);
    await using(lockId, one, async ({ rows }) => {
      if (old.length > 0) await rows.update(() => rowsForgotten(old));
      await rows.tidy();
    });
    if (wasInMemory) return;
    await one.rows.idle();
    inMemory.evict(lockId);
  }

  return {
    entries: {
      inMemory: viewNow,
      of: async (lockId) => viewNow(lockId) ?? (await load(lockId)).held,
      update: (lockId, wanted) => owners.whilePresent(lockId, () => whileChanging(lockId, change(lockId, wanted))),
    },
    async open() {
      files.tables?.followFolder(folder, createFollowedCards(present, loader));
      for (const name of await files.readdir(folder)) {
        const digits = cardFileName.exec(name)?.[1];
        if (digits !== undefined) present.add(Number(digits) as LockId);
      }
    },
    async adopt(lockId, older) {
      const { entries, past } = entriesOf(older);
      await rowsFor(lockId).rows.create(firstRows(entries, past));
      present.add(lockId);
    },
    async upgrade(lockId) {
      if (!(await isOlderFile(files, pathOf(lockId), entryFormat))) return;
      await rowsFor(lockId)
        .rows.load()
        .catch((error: unknown) => {
          // Whoever needs the entries first hears of it.
          if (!(error instanceof DamagedDocumentError)) throw error;
        });
    },
    settled,
    remove,
    async removeLeft(wasRemoved) {
      for (const lockId of [...present]) {
        if (owners.has(lockId) || owners.isDisabled(lockId) || !wasRemoved(lockId)) continue;
        try {
          await remove(lockId);
          log.info({ code: 'card-file-deleted', lockId, file: cardPath(lockId) }, 'deleted the cards of a lock that was removed');
        } catch (error) {
          log.warn(
            { code: 'card-file-left', lockId, file: cardPath(lockId), err: error },
            'the cards of a lock that was removed cannot be deleted',
          );
        }
      }
    },
    async highest() {
      if (files.tables !== undefined) return files.tables.highestId(folder);
      const lockIds = [...present];
      let highest = 0;
      for (let from = 0; from < lockIds.length; from += readsAtOnce) {
        // The counters know the highest id of a damaged file.
        const tops = lockIds.slice(from, from + readsAtOnce).map((lockId) => readTop(files, pathOf(lockId), entryFormat).catch(() => 0));
        for (const top of await Promise.all(tops)) highest = Math.max(highest, top ?? 0);
      }
      return highest;
    },
    async forget(before) {
      const usable = [...present].filter((one) => owners.has(one) && !loader.isUnusable(one));
      for (let from = 0; from < usable.length; from += locksAtOnce)
        for (const lockId of await withPastBefore(usable.slice(from, from + locksAtOnce), before)) await forgetOf(lockId, before);
    },
    hold: snapshots.hold,
    backupSource: () =>
      [...present]
        .filter((lockId) => owners.has(lockId) || owners.isDisabled(lockId))
        .map((lockId) => {
          const source = inMemory.get(lockId)?.rows.backupSource(cardPath(lockId)) ?? sourceOfPath(files, directory, cardPath(lockId));
          return snapshots.source(lockId, source);
        }),
    async idle() {
      await Promise.allSettled([...loader.allBegun(), ...[...changing.values()].flatMap((all) => [...all])]);
      await inMemory.idle();
    },
  };
}
