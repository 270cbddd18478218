// A file that only grows, with group commit: what comes in while a flush is under way goes out together, in one write
// and one fdatasync, and is acknowledged together.
import type { OpenFile } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';

interface Waiting {
  readonly lines: string;
  readonly resolve: (position: number) => void;
  readonly reject: (error: Error) => void;
}

export interface Journal {
  /** Flushed bytes, and so the position of the next ones. */
  length(): number;
  /**
   * Appends whole lines; resolves with their position (in bytes) once they are flushed.
   * `storage-unavailable`: none of them is in the file; a later append may succeed.
   */
  append(lines: string): Promise<number>;
  /** The same with functions to call: at 25,000 events a second the promises in between are felt. */
  enqueue(lines: Waiting): void;
  read(into: Uint8Array, position: number): Promise<number>;
  /** Resolves when nothing is on its way to the disk. */
  idle(): Promise<void>;
  /** Waits for what was appended, then closes the file. Idempotent. */
  close(): Promise<void>;
  /** How many flushes there were, for the figures. */
  flushes(): number;
}

/** A journal over an open file whose first `length` bytes are good; what is behind them is cut before the first write. */
export function createJournal(file: OpenFile, goodLength: number): Journal {
  let length = goodLength;
  let flushes = 0;
  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  /** Bytes of a failed write may be behind `length`. */
  let ragged = false;
  let broken: unknown;

  async function cut(): Promise<void> {
    if (!ragged) return;
    await file.truncate(length);
    ragged = false;
  }
  async function commit(batch: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.from(batch.map(({ lines }) => lines).join(''));
    await cut();
    ragged = true;
    try {
      await file.write(bytes, length);
    } catch (error) {
      // When this fails too, the next append tries it again first.
      await cut().catch(() => undefined);
      throw error;
    }
    try {
      await file.datasync();
    } catch (error) {
      // Never flushed again: the kernel may have dropped these pages, and would now say ok (Fault T4).
      broken = error;
      throw error;
    }
    ragged = false;
    flushes += 1;
    for (const { lines, resolve } of batch) {
      const position = length;
      length += Buffer.byteLength(lines);
      resolve(position);
    }
  }
  async function writeAll(): Promise<void> {
    // One turn of the event loop, so that everybody who was just acknowledged can be in the next group.
    await nextTurn();
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        if (broken !== undefined) throw broken;
        await commit(batch);
      } catch (error) {
        for (const { reject } of batch) reject(storageUnavailable(error));
      }
      await nextTurn();
    }
    writing = undefined;
  }

  function enqueue(waiting: Waiting): void {
    if (closing) {
      waiting.reject(storageUnavailable(new Error('the journal is closed')));
      return;
    }
    queue.push(waiting);
    writing ??= writeAll();
  }

  return {
    length: () => length,
    flushes: () => flushes,
    enqueue,
    append: (lines) => new Promise((resolve, reject) => enqueue({ lines, resolve, reject })),
    read: (into, position) => file.read(into, position),
    idle: () => writing ?? Promise.resolve(),
    close() {
      closing ??= (writing ?? Promise.resolve()).then(() => file.close());
      return closing;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
