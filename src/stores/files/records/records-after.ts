// The records of a day above a recordId, in the order of their ids: for subscribers that continue where they stopped.
import type { LockId } from '../../../domain/locks/lock.ts';
import type { LockRecord } from '../../../domain/records/record.ts';
import { isIntact } from '../checksummed-line.ts';
import { nextTick } from './next-turn.ts';
import { type LinePlace, readLines } from './read-lines.ts';
import { readRecord } from './record-line.ts';

export interface RecordsWanted {
  /** Exclusive. */
  readonly above: number;
  readonly wants: (lockId: LockId) => boolean;
}

/** A range of a day's file that begins with a line; `to` is exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

type ReadAt = (into: Uint8Array, position: number) => Promise<number>;

const pieceBytes = 64 * 1024;
const probeBytes = 8 * 1024;
const linesAtOnce = 128;
/** Places that are collected in one reading of the file; a day with more is read again for the next ones. */
const placesAtOnce = 32_768;
const newline = 10;

/** For a file whose lines are in the order of their recordIds: yields after each piece, even when it contains no wanted record. */
export async function* recordsInOrder(readAt: ReadAt, bytes: number, wanted: RecordsWanted): AsyncGenerator<LockRecord[]> {
  const from = await lastLineNotAbove(readAt, bytes, wanted.above);
  for await (const lines of linePiecesOf(readAt, { from, to: bytes })) {
    const records = lines.filter(({ bytes: line }) => isWanted(line, wanted)).map(({ bytes: line }) => readRecord(line));
    yield records.filter((record) => record !== undefined);
  }
}

/**
 * For a file whose lines are in any order: collects the places of the lowest recordIds first and reads them in that order, until there are
 * no more. This is rare: it happens when a client was away over midnight.
 */
export async function* recordsToSort(readAt: ReadAt, ranges: readonly ByteRange[], wanted: RecordsWanted): AsyncGenerator<LockRecord[]> {
  for (let above = wanted.above, isAll = false; !isAll; ) {
    const found = createLowest(placesAtOnce);
    for (const range of ranges) {
      for await (const lines of linePiecesOf(readAt, range)) {
        for (const { bytes, position } of lines) {
          const head = lineHeadOf(bytes);
          if (head && head.recordId > above && wanted.wants(head.lockId)) found.add(head.recordId, position, bytes.length + 1);
        }
        yield [];
      }
    }
    const { places, highest } = found.inOrder();
    for (let first = 0; first < places.length; first += linesAtOnce) {
      const records = (await readLines(readAt, places.slice(first, first + linesAtOnce))).map(readRecord);
      yield records.filter((record) => record !== undefined);
    }
    isAll = found.isAll();
    above = highest;
  }
}

/** Collects the places of the `most` lowest recordIds among all that are added. */
function createLowest(most: number) {
  const [ids, positions, lengths] = [new Float64Array(2 * most), new Float64Array(2 * most), new Uint32Array(2 * most)];
  let count = 0;
  let ceiling = Number.POSITIVE_INFINITY;

  function sorted(): number[] {
    return Array.from({ length: count }, (_, n) => n).sort((a, b) => (ids[a] as number) - (ids[b] as number));
  }
  /** Drops all but the lowest. */
  function compact(): void {
    const lowest = sorted().slice(0, most);
    ceiling = ids[lowest.at(-1) as number] as number;
    for (const column of [ids, positions, lengths]) column.set(lowest.map((n) => column[n] as number));
    count = most;
  }
  return {
    add(recordId: number, position: number, length: number): void {
      if (recordId > ceiling) return;
      if (count === 2 * most) compact();
      if (recordId > ceiling) return;
      ids[count] = recordId;
      positions[count] = position;
      lengths[count] = length;
      count += 1;
    },
    /** Whether no place was left out. */
    isAll: () => ceiling === Number.POSITIVE_INFINITY,
    inOrder(): { readonly places: readonly LinePlace[]; readonly highest: number } {
      const order = sorted();
      const places = order.map((n) => ({ position: positions[n] as number, length: lengths[n] as number }));
      return { places, highest: ids[order.at(-1) as number] ?? 0 };
    },
  };
}

interface Head {
  readonly recordId: number;
  readonly lockId: LockId;
}

/** The record of a line, by its first members alone. */
export function lineHeadOf(line: Buffer): Head | undefined {
  const found = /^\{"recordId":(\d{1,16}),"lockId":(\d{1,16}),/.exec(line.toString('latin1', 0, 64));
  return found ? { recordId: Number(found[1]), lockId: Number(found[2]) as LockId } : undefined;
}

function isWanted(line: Buffer, { above, wants }: RecordsWanted): boolean {
  const head = lineHeadOf(line);
  return head !== undefined && head.recordId > above && wants(head.lockId);
}

/** The start of the reading: a line close before the first recordId above the given one, or the beginning. Damage only makes it earlier. */
export async function lastLineNotAbove(readAt: ReadAt, bytes: number, above: number): Promise<number> {
  let low = 0;
  const probe = Buffer.allocUnsafe(probeBytes);
  for (let high = bytes; high - low > pieceBytes; ) {
    const middle = Math.floor((low + high) / 2);
    const text = probe.subarray(0, await readAt(probe, middle));
    const start = text.indexOf(newline) + 1;
    const end = text.indexOf(newline, start);
    const line = start > 0 && end >= 0 ? text.subarray(start, end) : undefined;
    const head = line && isIntact(line) ? lineHeadOf(line) : undefined;
    if (head === undefined) return low;
    if (head.recordId > above) high = middle;
    else low = middle + start;
  }
  return low;
}

interface PlacedLine {
  /** Without its newline; valid until the next piece is requested. */
  readonly bytes: Buffer;
  readonly position: number;
}

export async function* linePiecesOf(readAt: ReadAt, { from, to }: ByteRange): AsyncGenerator<PlacedLine[]> {
  let carry: Buffer = Buffer.alloc(0);
  for (let position = from; position + carry.length < to; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, to - position - carry.length));
    const count = await readAt(piece, position + carry.length);
    if (count === 0) return;
    const text = carry.length === 0 ? piece.subarray(0, count) : Buffer.concat([carry, piece.subarray(0, count)]);
    const lines: PlacedLine[] = [];
    let start = 0;
    for (let end = text.indexOf(newline); end >= 0; end = text.indexOf(newline, start)) {
      lines.push({ bytes: text.subarray(start, end), position: position + start });
      start = end + 1;
    }
    carry = text.subarray(start);
    position += start;
    yield lines;
    await nextTick();
  }
}
