// A file of checked lines that only grows, with group commit: what comes in while a flush is under way goes out together, in one write
// and one fdatasync, and is acknowledged together.
import { checkedExtra, writeChecked } from './checked-line.ts';
import type { OpenFile } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';

/** Lines on their way to the disk, which stand or fall together. */
interface Waiting {
  /** The lines without their checksums. */
  readonly bodies: readonly string[];
  /** They are flushed: where the first begins, and the lengths with their newlines, the first one's at `lengths[first]`. */
  readonly resolve: (position: number, lengths: readonly number[], first: number) => void;
  readonly reject: (error: Error) => void;
}

/** A larger batch gets a buffer of its own. */
const mostScratchBytes = 4_000_000;

export interface Journal {
  /** Flushed bytes, and so the position of the next ones. */
  length(): number;
  /**
   * Appends lines that stand or fall together; calls back once they are flushed.
   * `storage-unavailable`: none of them is in the file; a later append may succeed.
   */
  enqueue(lines: Waiting): void;
  /** The same for one line; resolves with its position. */
  append(body: string): Promise<number>;
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
  let scratch = Buffer.alloc(0);

  async function cut(): Promise<void> {
    if (!ragged) return;
    await file.truncate(length);
    ragged = false;
  }
  /** A buffer with room for lines, which is used again by the next batch. */
  function room(bodies: readonly string[]): Buffer {
    let bytes = 0;
    for (const body of bodies) bytes += 3 * body.length + checkedExtra;
    const into = bytes <= scratch.length ? scratch : Buffer.allocUnsafe(bytes);
    if (bytes <= mostScratchBytes) scratch = into;
    return into;
  }
  async function commit(batch: readonly Waiting[]): Promise<void> {
    const bodies = batch.flatMap((waiting) => waiting.bodies);
    const into = room(bodies);
    const lengths = writeChecked(into, bodies);
    let bytes = 0;
    for (const line of lengths) bytes += line;
    await cut();
    ragged = true;
    try {
      await file.write(into.subarray(0, bytes), length);
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
    let position = length;
    let first = 0;
    length += bytes;
    for (const { bodies, resolve } of batch) {
      resolve(position, lengths, first);
      for (const end = first + bodies.length; first < end; first++) position += lengths[first] as number;
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
    append: (body) => new Promise((resolve, reject) => enqueue({ bodies: [body], resolve, reject })),
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
