// A file of checksummed lines that only grows, with group commit: lines that arrive during a flush go out together, in one write that is on
// the disk when it ends, and are acknowledged together.
//
// An open file has newlines behind its lines, and later lines overwrite them. When the bytes were in the file before, a flush has to write
// only them; when the file has grown, the file system writes its own journal too, which takes much longer. A closed journal has only its
// lines.
import { codeOf, type OpenFile } from '../files.ts';
import { isFull, storageUnavailable } from '../flush-guard.ts';
import type { JournalTail } from './journal-tail.ts';
import { LineBuffer } from './line-buffer.ts';
import { nextTick } from './next-turn.ts';

/**
 * Lines that are stored together or not at all, and the caller that waits for them. One object with methods, because there may be very many
 * of them a second.
 */
export interface Appending {
  /** Puts the lines behind the others, synchronously. */
  put(lines: LineBuffer): void;
  /** The lines are flushed: the position of the first one, and the lengths with newlines; the first one's is `lengths[first]`. */
  flushed(position: number, lengths: readonly number[], first: number): void;
  /** `storage-unavailable`: none of the lines is in the file; a later append may succeed. */
  failed(error: Error): void;
}

/** How many newlines are added to the file when they are used up; the wide value is for many lines at once. */
const paddingBytes = 256 << 10;
const widePaddingBytes = 1 << 20;
const manyLines = 50;

/** The lines of one flush. They are bytes by then, and nothing else of them is in memory. */
interface Group {
  waiting: Appending[];
  /** The number of the first line of each waiting appending. */
  readonly firsts: number[];
  readonly lines: LineBuffer;
}

export interface Journal {
  /** Flushed bytes, which is also the position of the next line. */
  length(): number;
  /** Appends lines, and calls `flushed` or `failed` of the appending at the end. */
  enqueue(appending: Appending): void;
  /** Appends one line; resolves with its position. `storage-unavailable`. */
  append(body: string): Promise<number>;
  read(into: Uint8Array, position: number): Promise<number>;
  /** Fills `into` with flushed bytes that are still in memory; false when they are not. */
  readNow(into: Uint8Array, position: number): boolean;
  /** Resolves when no write is running. */
  idle(): Promise<void>;
  /** Waits for running appends, then closes the file. Idempotent. */
  close(): Promise<void>;
  /** The number of flushes, for the stats. */
  flushes(): number;
}

/** A journal over a file that was opened as one, whose first `length` bytes are good; the rest is cut off before the first write. */
export function createJournal(file: OpenFile, goodLength: number, tail?: JournalTail): Journal {
  let length = goodLength;
  /** The end of the file; the bytes between `length` and it are newlines. */
  let end = goodLength;
  let flushes = 0;
  /** The group that collects lines, and the one that is being flushed or was: their buffers alternate. */
  let group = emptyGroup();
  let other = emptyGroup();
  /** Position of the flushed lines of `other` while they are not in the tail yet. */
  let unreported: number | undefined;
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  /** Bytes of a failed write may be behind `length`. */
  let ragged = false;
  let broken: unknown;

  async function cut(): Promise<void> {
    await file.truncate(length);
    end = length;
    ragged = false;
  }
  async function write(bytes: Buffer): Promise<void> {
    if (broken !== undefined) throw broken;
    if (ragged) await cut();
    ragged = true;
    try {
      await file.write(bytes, length);
    } catch (error) {
      // The file is not written again: the kernel may have dropped these pages, and the next flush would report success (Fault T4).
      if (!isFull(codeOf(error))) broken = error;
      // When this fails too, the next append tries it first.
      else await cut().catch(() => undefined);
      throw error;
    }
    ragged = false;
    end = Math.max(end, length + bytes.length);
  }
  async function writePadded(lines: LineBuffer): Promise<void> {
    try {
      await write(lines.bytesBeforeNewlines(lines.lengths.length < manyLines ? paddingBytes : widePaddingBytes));
    } catch (error) {
      // On a nearly full disk, the remaining space is for lines.
      if (!isFull(codeOf(error))) throw error;
      await write(lines.bytes());
    }
  }
  async function commit({ waiting, firsts, lines }: Group): Promise<void> {
    const bytes = lines.bytes().length;
    await (length + bytes > end ? writePadded(lines) : write(lines.bytes()));
    flushes += 1;
    unreported = length;
    let position = length;
    let line = 0;
    length += bytes;
    for (let n = 0; n < waiting.length; n++) {
      const first = firsts[n] as number;
      for (; line < first; line++) position += lines.lengths[line] as number;
      (waiting[n] as Appending).flushed(position, lines.lengths, first);
    }
  }
  /** Adds the lines of the last flush to the tail. */
  function tell(): void {
    if (unreported !== undefined) tail?.add(other.lines.bytes(), unreported);
    unreported = undefined;
  }
  /** No caller waits for `other` any more: empties it for the next lines. */
  function emptyOther(): void {
    tell();
    other.waiting = [];
    other.firsts.length = 0;
    other.lines.clear();
  }
  async function closeFile(): Promise<void> {
    try {
      // If the cut fails, the next open of the file does it.
      if (end > length && broken === undefined) await file.truncate(length).catch(() => undefined);
    } finally {
      await file.close();
    }
  }
  async function writeAll(): Promise<void> {
    // One tick, so that all callers that were just acknowledged can be in the next group.
    await nextTick();
    while (group.waiting.length > 0) {
      const flushing = group;
      const flushed = commit(flushing);
      // Only now, while the flush runs, so that no caller waits for it.
      emptyOther();
      group = other;
      other = flushing;
      try {
        await flushed;
      } catch (error) {
        for (const appending of flushing.waiting) appending.failed(storageUnavailable(error));
      }
      await nextTick();
    }
    emptyOther();
    writing = undefined;
  }

  function enqueue(appending: Appending): void {
    if (closing) {
      appending.failed(storageUnavailable(new Error('the journal is closed')));
      return;
    }
    group.firsts.push(group.lines.lengths.length);
    appending.put(group.lines);
    group.waiting.push(appending);
    writing ??= writeAll();
  }

  function readNow(into: Uint8Array, position: number): boolean {
    tell();
    return tail?.read(into, position) ?? false;
  }

  return {
    length: () => length,
    flushes: () => flushes,
    enqueue,
    append: (body) => new Promise((flushed, failed) => enqueue({ put: (lines) => lines.add(body), flushed, failed })),
    read: async (into, position) => (readNow(into, position) ? into.length : file.read(into, position)),
    readNow,
    idle: () => writing ?? Promise.resolve(),
    close() {
      closing ??= (writing ?? Promise.resolve()).then(closeFile);
      return closing;
    },
  };
}

function emptyGroup(): Group {
  return { waiting: [], firsts: [], lines: new LineBuffer() };
}
