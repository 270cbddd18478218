// Reads the entries of a lock into memory when they are needed. There is one object for the file of a lock: with two, neither would know the
// length of the file.

import type { Change } from '../../../domain/change.ts';
import { createEntries, entryEventsOf } from '../../../domain/credentials/lock-entries.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { keepCopy } from './document.ts';
import { DamagedDocumentError, NewerSchemaError } from './document-format.ts';
import { createEntriesInMemory, type EntriesInMemoryOfLocks, type LockInMemory } from './entries-in-memory.ts';
import { cardPath, type EntryRow, entryFormat, follow, isEntryChange } from './entry-row.ts';
import { createRowFile } from './row-file.ts';

export interface EntryLoader {
  /** What is loaded. */
  readonly inMemory: EntriesInMemoryOfLocks;
  /** An object for the file of a lock, which is neither read nor made by it. */
  rowsFor(lockId: LockId): LockInMemory;
  /** The lock must have a file. `storage-unavailable` when it cannot be used. */
  load(lockId: LockId): Promise<LockInMemory>;
  /** Whoever loads the cards of this lock meanwhile waits for `how`. */
  begin(lockId: LockId, how: (lockId: LockId) => Promise<LockInMemory>): Promise<LockInMemory>;
  /** What `begin` or `load` has begun for this lock. */
  begun(lockId: LockId): Promise<LockInMemory> | undefined;
  allBegun(): Iterable<Promise<LockInMemory>>;
  /** Runs `work` on the one object that is in memory, and keeps it there. */
  using<T>(lockId: LockId, one: LockInMemory, work: (one: LockInMemory) => Promise<T>): Promise<T>;
  /** The file is damaged, or of a newer program. */
  isUnusable(lockId: LockId): boolean;
  /** The file is being deleted. */
  forget(lockId: LockId): void;
}

export function createEntryLoader(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly mayCompact: () => boolean;
}): EntryLoader {
  const { files, directory, log, emit, mayCompact } = options;
  const inMemory = createEntriesInMemory();
  const reading = new Map<LockId, Promise<LockInMemory>>();
  /** Why the cards of a lock cannot be used, so that a damaged file is read only once. */
  const unusable = new Map<LockId, DomainError>();

  function rowsFor(lockId: LockId): LockInMemory {
    const held = createEntries();
    const rows = createRowFile<EntryRow>({
      files,
      path: `${directory}/${cardPath(lockId)}`,
      format: entryFormat,
      onFlushed: (_key, row, before) => follow(held, row, before),
      onGroup: (group) => emitChanges(lockId, one, group),
      mayCompact,
      beforeUpgrade: (path) => keepCopy(files, path),
    });
    const one: LockInMemory = { rows, held, staged: [], counted: 0 };
    return one;
  }
  function emitChanges(lockId: LockId, one: LockInMemory, group: readonly Change<EntryRow>[]): void {
    // It is being read, or made.
    if (inMemory.get(lockId) !== one) return;
    const made = one.staged;
    one.staged = [];
    for (const event of entryEventsOf(group.filter(isEntryChange), made)) emit('entry-changed', { lockId, ...event });
  }

  async function read(lockId: LockId): Promise<LockInMemory> {
    const one = rowsFor(lockId);
    try {
      if (!(await one.rows.load()))
        throw new DamagedDocumentError(`${directory}/${cardPath(lockId)} is missing: put it back from a backup`);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(`${directory}/`, '');
      const failure = new DomainError('storage-unavailable', `The cards of lock ${lockId} cannot be used: ${reason}`, { cause: error });
      if (error instanceof DamagedDocumentError || error instanceof NewerSchemaError) {
        unusable.set(lockId, failure);
        log.error(
          { code: 'cards-disabled', lockId, file: cardPath(lockId), reason },
          'the cards of a lock cannot be used; its door serves',
        );
      }
      throw failure;
    }
    inMemory.add(lockId, one);
    return one;
  }

  function load(lockId: LockId): Promise<LockInMemory> {
    const there = inMemory.get(lockId);
    if (there !== undefined) return Promise.resolve(there);
    const failure = unusable.get(lockId);
    if (failure !== undefined) return Promise.reject(failure);
    const before = reading.get(lockId);
    if (before !== undefined) return before;
    return begin(lockId, read);
  }
  function begin(lockId: LockId, how: (lockId: LockId) => Promise<LockInMemory>): Promise<LockInMemory> {
    const begun = how(lockId).finally(() => reading.delete(lockId));
    reading.set(lockId, begun);
    return begun;
  }
  async function using<T>(lockId: LockId, one: LockInMemory, work: (one: LockInMemory) => Promise<T>): Promise<T> {
    let there = one;
    while (inMemory.get(lockId) !== there) there = await load(lockId);
    return inMemory.using(lockId, there, () => work(there));
  }

  return {
    inMemory,
    rowsFor,
    load,
    begin,
    begun: (lockId) => reading.get(lockId),
    allBegun: () => reading.values(),
    using,
    isUnusable: (lockId) => unusable.has(lockId),
    forget(lockId) {
      unusable.delete(lockId);
      inMemory.remove(lockId);
    },
  };
}
