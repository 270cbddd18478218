// A day that is finished: its file sorted by lock, opened by its index alone. A page reads only blocks that hold it.
import type { LockId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { LockRecord } from '../domain/record.ts';
import { type DayFile, type DayName, type DayQuery, dayFileName } from './day-file.ts';
import type { OpenFile } from './files.ts';
import { intactRecords } from './open-day.ts';
import { type ByteRange, recordsToSort } from './records-above.ts';
import type { SealedIndex } from './sealed-index.ts';

export interface SealedDay extends DayFile {
  readonly index: Pick<SealedIndex, 'lastRecordId' | 'newestAt'>;
}

export function isSealed(day: DayFile): day is SealedDay {
  return 'index' in day;
}

const newline = 10;

/** Lines that lie one behind the other, and where those that are meant begin. */
interface Lines {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
}

export function createSealedDay(options: {
  readonly name: DayName;
  readonly index: SealedIndex;
  readonly file: OpenFile;
  readonly log: Log;
}): SealedDay {
  const { name, index, file, log } = options;
  const { lockIds, positions, counts, lowest, highest } = index.blocks;

  const oldest = lowest.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const newest = highest.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  /** A block at the edge of a query is counted and then shown: it is read once. */
  const atEdges = new WeakMap<DayQuery, Map<number, Promise<Lines>>>();

  /** Index of the first block of a lock, or of the first behind where it would be. */
  function firstBlock(lockId: number): number {
    let low = 0;
    let high = lockIds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((lockIds[middle] as number) < lockId) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function relation(block: number, { from, to }: DayQuery): 'outside' | 'inside' | 'edge' {
    const low = lowest[block] as number;
    const high = highest[block] as number;
    if (high < from || low > to) return 'outside';
    return from <= low && high <= to ? 'inside' : 'edge';
  }
  function edgeOf(block: number, query: DayQuery): Promise<Lines> {
    const read = atEdges.get(query) ?? new Map<number, Promise<Lines>>();
    const lines = read.get(block) ?? readBlock(block);
    atEdges.set(query, read.set(block, lines));
    return lines;
  }
  async function readBlock(block: number): Promise<Lines> {
    const from = positions[block] as number;
    const bytes = Buffer.allocUnsafe((positions[block + 1] ?? index.bytes) - from);
    const length = await file.read(bytes, from);
    const starts: number[] = [];
    for (let start = 0; start < length; ) {
      starts.push(start);
      const end = bytes.indexOf(newline, start);
      start = end < 0 ? length : end + 1;
    }
    return { bytes: bytes.subarray(0, length), starts };
  }
  /** Where the lines of a block begin that match, oldest first. */
  async function matchingLines(block: number, query: DayQuery): Promise<Lines> {
    if (relation(block, query) === 'inside') return readBlock(block);
    const { bytes, starts } = await edgeOf(block, query);
    return { bytes, starts: starts.filter((start, n) => isWithin(lockDateIn(bytes, start, starts[n + 1] ?? bytes.length), query)) };
  }
  /** Where the lines of these locks lie. */
  function rangesOf(wants: (lockId: LockId) => boolean): ByteRange[] {
    const ranges: { from: number; to: number }[] = [];
    for (const [block, lockId] of lockIds.entries()) {
      if (!wants(lockId as LockId)) continue;
      const from = positions[block] as number;
      const to = positions[block + 1] ?? index.bytes;
      const last = ranges.at(-1);
      if (last?.to === from) last.to = to;
      else ranges.push({ from, to });
    }
    return ranges;
  }
  async function countEdges(edges: readonly number[], query: DayQuery): Promise<number> {
    const lines = await Promise.all(edges.map((block) => matchingLines(block, query)));
    return lines.reduce((sum, { starts }) => sum + starts.length, 0);
  }

  return {
    name,
    index,
    bytes: () => index.bytes,
    readAt: file.read,
    count: () => index.count,
    matching(query) {
      if (newest < query.from || oldest > query.to) return 0;
      let counted = 0;
      const edges: number[] = [];
      for (let block = firstBlock(query.lockId); lockIds[block] === query.lockId; block++) {
        const where = relation(block, query);
        if (where === 'inside') counted += counts[block] as number;
        else if (where === 'edge') edges.push(block);
      }
      return edges.length === 0 ? counted : countEdges(edges, query).then((more) => counted + more);
    },
    async newest(query, skip, take) {
      const found: LockRecord[] = [];
      let left = skip;
      let wanted = take;
      for (let block = firstBlock(query.lockId + 1) - 1; block >= 0 && lockIds[block] === query.lockId && wanted > 0; block--) {
        const where = relation(block, query);
        if (where === 'outside') continue;
        if (where === 'inside' && left >= (counts[block] as number)) {
          left -= counts[block] as number;
          continue;
        }
        const { bytes, starts } = await matchingLines(block, query);
        const end = Math.max(0, starts.length - left);
        const picked = starts
          .slice(Math.max(0, end - wanted), end)
          .reverse()
          .map((start) => lineAt(bytes, start));
        left = Math.max(0, left - starts.length);
        wanted -= picked.length;
        found.push(...intactRecords(picked, log, dayFileName(name)));
      }
      return found;
    },
    above: (wanted) => recordsToSort(file.read, rangesOf(wanted.wants), wanted),
    close: file.close,
  };
}

function isWithin(date: number, { from, to }: DayQuery): boolean {
  return from <= date && date <= to;
}

/** With its newline. */
function lineAt(bytes: Buffer, start: number): Buffer {
  const end = bytes.indexOf(newline, start);
  return bytes.subarray(start, end < 0 ? bytes.length : end + 1);
}

const dateMember = Buffer.from('"lockDate":');
const minus = 0x2d;

/** Without parsing the line: inside a JSON string this member's name would have its quotes escaped. NaN when there is none. */
function lockDateIn(bytes: Buffer, start: number, end: number): number {
  const found = bytes.indexOf(dateMember, start);
  if (found < 0 || found >= end) return Number.NaN;
  let at = found + dateMember.length;
  const isNegative = bytes[at] === minus;
  if (isNegative) at += 1;
  let date = 0;
  for (let digit = digitAt(bytes, at); digit >= 0 && digit <= 9; digit = digitAt(bytes, at)) {
    date = date * 10 + digit;
    at += 1;
  }
  return isNegative ? -date : date;
}

function digitAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - 0x30;
}
