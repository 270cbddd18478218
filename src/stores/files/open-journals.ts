// A file layer whose journals stay open when they are closed, so that the next append to one of them is a single trip to a thread, not three.
// There may be a file for each lock, so only those that were used last stay open.
import type { FileLayer, OpenFile } from './files.ts';

export interface OpenJournals extends FileLayer {
  /** Closes the journals that nobody uses any more. Never rejects. */
  closeAll(): Promise<void>;
}

interface OpenJournal {
  readonly file: OpenFile;
  uses: number;
  /** Something failed, or the path has another file: the next open must not get this one. */
  isStale: boolean;
}

const mostOpen = 64;

/** Every rename and removal of these journals must go through this layer: it gives out no file that its path no longer names. */
export function keepJournalsOpen(files: FileLayer, atMost = mostOpen): OpenJournals {
  /** Ordered by use: the most recently used comes last. */
  const journals = new Map<string, OpenJournal>();
  const closing = new Set<Promise<void>>();

  function close({ file }: OpenJournal): void {
    const closed = file.close().catch(() => undefined);
    closing.add(closed);
    void closed.then(() => closing.delete(closed));
  }
  function forget(path: string, journal = journals.get(path)): void {
    if (journal === undefined || journal.isStale) return;
    journal.isStale = true;
    journals.delete(path);
    if (journal.uses === 0) close(journal);
  }
  function makeRoom(): void {
    for (const [path, journal] of journals) {
      if (journals.size <= atMost) return;
      if (journal.uses === 0) forget(path, journal);
    }
  }
  async function openNew(path: string): Promise<OpenJournal> {
    const file = await files.open(path, 'journal');
    // Of two that were opened at once, the later one stays.
    forget(path);
    return { file, uses: 0, isStale: false };
  }
  function use(path: string, journal: OpenJournal): OpenFile {
    journals.delete(path);
    journals.set(path, journal);
    journal.uses += 1;
    const { file } = journal;
    let isOpen = true;
    const orForget =
      <A extends unknown[]>(action: (...args: A) => Promise<void>) =>
      (...args: A) =>
        action(...args).catch((error: unknown) => {
          forget(path, journal);
          throw error;
        });
    return {
      ...file,
      write: orForget(file.write),
      truncate: orForget(file.truncate),
      async close() {
        if (!isOpen) return;
        isOpen = false;
        journal.uses -= 1;
        if (journal.isStale && journal.uses === 0) close(journal);
        makeRoom();
      },
    };
  }

  return {
    ...files,
    async open(path, mode) {
      if (mode !== 'journal') return files.open(path, mode);
      return use(path, journals.get(path) ?? (await openNew(path)));
    },
    rename(from, to) {
      forget(from);
      forget(to);
      return files.rename(from, to);
    },
    unlink(path) {
      forget(path);
      return files.unlink(path);
    },
    async closeAll() {
      for (const path of [...journals.keys()]) forget(path);
      await Promise.all(closing);
    },
  };
}
