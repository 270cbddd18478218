// A file of checked lines that only grows, with group commit: what comes in while a flush is under way goes out together, in one write
// and one fdatasync, and is acknowledged together.
import { checkedExtra, writeChecked } from './checked-line.ts';
import type { OpenFile } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';

interface Waiting {
  /** The lines without their checksums. */
  readonly bodies: readonly string[];
  /** Where the first line begins, and the length of each with its newline. */
  readonly resolve: (position: number, lengths: readonly number[]) => void;
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
  /** The lines of a batch, in a buffer that is used again by the next one, and their lengths. */
  function encode(batch: readonly Waiting[]): { bytes: Buffer; lengths: number[][] } {
    let room = 0;
    for (const { bodies } of batch) for (const body of bodies) room += 3 * body.length + checkedExtra;
    const into = room <= scratch.length ? scratch : Buffer.allocUnsafe(room);
    if (room <= mostScratchBytes) scratch = into;
    let end = 0;
    const lengths = batch.map(({ bodies }) =>
      bodies.map((body) => {
        const start = end;
        end = writeChecked(into, start, body);
        return end - start;
      }),
    );
    return { bytes: into.subarray(0, end), lengths };
  }
  async function commit(batch: readonly Waiting[]): Promise<void> {
    const { bytes, lengths } = encode(batch);
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
    let position = length;
    length += bytes.length;
    for (const [n, { resolve }] of batch.entries()) {
      const own = lengths[n] as number[];
      resolve(position, own);
      for (const bytesOfLine of own) position += bytesOfLine;
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
