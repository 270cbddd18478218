// The records of a day below a recordId, newest first, in short steps: from the lines of few locks, from the end of a file whose lines are in
// order, or through the table of the day.
import type { LockRecord } from '../../../domain/records/record.ts';
import type { NewestFirst, NewestFirstStep } from '../../../domain/records/record-ports.ts';
import { nextTick } from './next-turn.ts';
import type { RecordOrder } from './order-file.ts';
import { type LinePlace, readLines } from './read-lines.ts';
import { readRecord } from './record-line.ts';
import { createRowFilter } from './record-order.ts';
import { type ByteRange, lastLineNotAbove, linePiecesOf } from './records-after.ts';

type ReadAt = (into: Uint8Array, position: number) => Promise<number>;
export type Steps = AsyncGenerator<NewestFirstStep, void>;

/** Up to so many lines of the wanted locks are read as they are, instead of a look at all records of the day. */
export const fewLines = 1_024;
const linesAtOnce = 256;
const pieceBytes = 64 * 1024;
const newline = 10;

/** From these lines, in whatever order they are. */
export async function* fromLines(lines: AsyncIterable<readonly Buffer[]>, query: NewestFirst): Steps {
  const found: LockRecord[] = [];
  let looked = 0;
  for await (const some of lines) {
    found.push(...wantedOf(some, query));
    looked += some.length;
  }
  found.sort((one, other) => other.recordId - one.recordId);
  yield { records: found, lowest: found.at(-1)?.recordId, looked };
}

export async function* linesInRanges(readAt: ReadAt, ranges: readonly ByteRange[]): AsyncGenerator<readonly Buffer[]> {
  for (const range of ranges) for await (const lines of linePiecesOf(readAt, range)) yield lines.map(({ bytes }) => bytes);
}

export async function* linesAtPlaces(readAt: ReadAt, places: readonly LinePlace[]): AsyncGenerator<readonly Buffer[]> {
  for (let from = 0; from < places.length; from += linesAtOnce) {
    yield await readLines(readAt, places.slice(from, from + linesAtOnce));
    await nextTick();
  }
}

/** From a file whose lines are in the order of their recordIds, backwards. */
export async function* fromTheEnd(readAt: ReadAt, bytes: number, query: NewestFirst): Steps {
  // What lies further behind is not below `before`; where this cuts a line, that one is neither.
  let end = Math.min(bytes, (await lastLineNotAbove(readAt, bytes, query.before - 1)) + 2 * pieceBytes);
  const needle = needleOf(query);
  /** The end of a line that begins before the last piece. */
  let cut: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - pieceBytes);
    const piece = Buffer.allocUnsafe(end - start);
    await readAt(piece, start);
    const text = Buffer.concat([piece, cut]);
    // Most pieces have no line of a rare match: they are passed over at once.
    if (needle !== undefined && !text.includes(needle)) {
      const at = text.indexOf(newline);
      cut = start === 0 || at < 0 ? text : text.subarray(0, at);
      end = start;
      yield { records: [], lowest: undefined, looked: 0 };
      await nextTick();
      continue;
    }
    const lines: Buffer[] = [];
    let to = text.length;
    while (to > 0) {
      const at = text.lastIndexOf(newline, to - 1);
      if (at < 0 && start > 0) break;
      lines.push(text.subarray(at + 1, to));
      to = Math.max(0, at);
    }
    cut = text.subarray(0, to);
    end = start;
    const records = wantedOf(lines, query);
    yield { records, lowest: records.at(-1)?.recordId, looked: lines.length };
    await nextTick();
  }
}

/** What each line that matches surely contains; undefined: nothing. */
function needleOf({ username, success }: NewestFirst): string | undefined {
  // Other characters may be written in more than one way.
  if (username !== undefined && /^[\w ]+$/.test(username)) return `"username":"${username}"`;
  return success === undefined ? undefined : `"success":${success}`;
}

/** Through the table of the day. Where a chunk of it is damaged it ends, and returns the recordId below which nothing was looked at. */
export async function* fromOrder(
  readAt: ReadAt,
  order: RecordOrder,
  first: number,
  query: NewestFirst,
): AsyncGenerator<NewestFirstStep, number | undefined> {
  const find = createRowFilter(query);
  for (let n = chunkOf(order.firsts, query.before); n < order.firsts.length; n++) {
    const rows = await order.chunk(n);
    if (rows === undefined) return Math.min(query.before, (order.firsts[n] as number) + 1);
    for (const { matches, lowest, looked } of find(rows, first)) {
      const places = matches.map(({ place }) => place);
      yield { records: wantedOf(await readLines(readAt, places), query), lowest, looked };
    }
    await nextTick();
  }
  return undefined;
}

function wantedOf(lines: readonly Buffer[], { before, locks }: NewestFirst): LockRecord[] {
  return lines.flatMap((line) => {
    const record = readRecord(line);
    return record && record.recordId < before && locks.has(record.lockId) ? record : [];
  });
}

/** The chunk that has the highest recordId below `before`: the last one that begins at `before` or above, else the first. */
function chunkOf(firsts: readonly number[], before: number): number {
  const behind = firsts.findIndex((first) => first < before);
  return Math.max(0, (behind < 0 ? firsts.length : behind) - 1);
}
