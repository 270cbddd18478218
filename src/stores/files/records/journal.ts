// A file of checked lines that only grows, with group commit: what comes in while a flush is under way goes out together, in one write
// that is on the disk when it ends, and is acknowledged together.
//
// Behind the lines, the open file holds newlines, which later lines overwrite: a flush of bytes that were in the file before is done
// when they are on the disk, where one of a file that grew has the file system write its journal too (write and fdatasync of 28 kB on
// ext4: 590 beside 370 us, and 290 in one call; a third of the blocks for a single line). A closed journal holds its lines only.
import { codeOf, type OpenFile } from '../files.ts';
import { isFull, storageUnavailable } from '../flush-guard.ts';
import type { JournalTail } from './journal-tail.ts';
import { LineBuffer } from './line-buffer.ts';
import { nextTick } from './next-turn.ts';

/** Lines that stand or fall together, and who waits for them. One object with methods: there are some 100,000 of them a second. */
export interface Appending {
  /** Puts them behind the others, at once. */
  put(lines: LineBuffer): void;
  /** They are flushed: where the first begins, and the lengths with their newlines, the first one's at `lengths[first]`. */
  flushed(position: number, lengths: readonly number[], first: number): void;
  /** `storage-unavailable`: none of them is in the file; a later append may succeed. */
  failed(error: Error): void;
}

/** What is added to the file when its newlines are used up: some 900 records, and four times that where many come at once. */
const paddingBytes = 256 << 10;
const widePaddingBytes = 1 << 20;
const manyLines = 50;

/** What goes out with one flush. The lines themselves are bytes by then: nothing else of them is kept. */
interface Group {
  waiting: Appending[];
  /** Of each of them, the number of its first line. */
  readonly firsts: number[];
  readonly lines: LineBuffer;
}

export interface Journal {
  /** Flushed bytes, and so the position of the next ones. */
  length(): number;
  /** Appends lines, and tells them when they are flushed. */
  enqueue(appending: Appending): void;
  /** Appends one line; resolves with its position. `storage-unavailable`. */
  append(body: string): Promise<number>;
  read(into: Uint8Array, position: number): Promise<number>;
  /** Fills `into` with flushed bytes that are still in memory; false when they are not. */
  readNow(into: Uint8Array, position: number): boolean;
  /** Resolves when nothing is on its way to the disk. */
  idle(): Promise<void>;
  /** Waits for what was appended, then closes the file. Idempotent. */
  close(): Promise<void>;
  /** How many flushes there were, for the figures. */
  flushes(): number;
}

/** A journal over a file, opened as one, whose first `length` bytes are good; what is behind them is cut before the first write. */
export function createJournal(file: OpenFile, goodLength: number, tail?: JournalTail): Journal {
  let length = goodLength;
  /** Where the file ends; those bytes behind `length` are newlines. */
  let end = goodLength;
  let flushes = 0;
  /** The one that grows, and the one that is flushed or was: their buffers serve in turn. */
  let group = emptyGroup();
  let other = emptyGroup();
  /** Where the flushed lines of `other` begin, while they are not in the tail. */
  let untold: number | undefined;
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
      // Nothing is written again: the kernel may have dropped these pages, and would now say ok (Fault T4).
      if (!isFull(codeOf(error))) broken = error;
      // When this fails too, the next append tries it again first.
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
      // The last room on a disk is for lines.
      if (!isFull(codeOf(error))) throw error;
      await write(lines.bytes());
    }
  }
  async function commit({ waiting, firsts, lines }: Group): Promise<void> {
    const bytes = lines.bytes().length;
    await (length + bytes > end ? writePadded(lines) : write(lines.bytes()));
    flushes += 1;
    untold = length;
    let position = length;
    let line = 0;
    length += bytes;
    for (let n = 0; n < waiting.length; n++) {
      const first = firsts[n] as number;
      for (; line < first; line++) position += lines.lengths[line] as number;
      (waiting[n] as Appending).flushed(position, lines.lengths, first);
    }
  }
  /** Has the tail know what was flushed last. */
  function tell(): void {
    if (untold !== undefined) tail?.add(other.lines.bytes(), untold);
    untold = undefined;
  }
  /** Nobody waits for `other` any more: it is there for the next lines. */
  function emptyOther(): void {
    tell();
    other.waiting = [];
    other.firsts.length = 0;
    other.lines.clear();
  }
  async function closeFile(): Promise<void> {
    try {
      // What cannot be cut now is cut by whoever opens the file next.
      if (end > length && broken === undefined) await file.truncate(length).catch(() => undefined);
    } finally {
      await file.close();
    }
  }
  async function writeAll(): Promise<void> {
    // One turn of the event loop, so that everybody who was just acknowledged can be in the next group.
    await nextTick();
    while (group.waiting.length > 0) {
      const flushing = group;
      const flushed = commit(flushing);
      // Not earlier: beside the flush it takes nobody's time.
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
