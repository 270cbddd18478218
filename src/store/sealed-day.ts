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
  /** The block that was read last: a page counts it and shows it, and the next page of a lock is often in it, too. */
  let latest: { readonly block: number; readonly lines: Promise<readonly Buffer[]> } | undefined;

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
  /** The lines of a block, with their newlines, oldest first. */
  function linesOf(block: number): Promise<readonly Buffer[]> {
    if (latest?.block === block) return latest.lines;
    const reading = { block, lines: readBlock(block) };
    latest = reading;
    reading.lines.catch(() => {
      if (latest === reading) latest = undefined;
    });
    return reading.lines;
  }
  async function readBlock(block: number): Promise<readonly Buffer[]> {
    const from = positions[block] as number;
    const bytes = Buffer.allocUnsafe((positions[block + 1] ?? index.bytes) - from);
    const text = bytes.subarray(0, await file.read(bytes, from));
    const lines: Buffer[] = [];
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf(newline, start);
      const next = end < 0 ? text.length : end + 1;
      lines.push(text.subarray(start, next));
      start = next;
    }
    return lines;
  }
  async function matchingLines(block: number, query: DayQuery): Promise<readonly Buffer[]> {
    const lines = await linesOf(block);
    if (relation(block, query) === 'inside') return lines;
    return lines.filter((line) => {
      const date = lockDateOf(line);
      return query.from <= date && date <= query.to;
    });
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
    return lines.reduce((sum, { length }) => sum + length, 0);
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
        const lines = (await matchingLines(block, query)).toReversed();
        const picked = lines.slice(left, left + wanted);
        left = Math.max(0, left - lines.length);
        wanted -= picked.length;
        found.push(...intactRecords(picked, log, dayFileName(name)));
      }
      return found;
    },
    above: (wanted) => recordsToSort(file.read, rangesOf(wanted.wants), wanted),
    close: file.close,
  };
}

const dateMember = Buffer.from('"lockDate":');

/** Without parsing the line: inside a JSON string this member's name would have its quotes escaped. */
function lockDateOf(line: Buffer): number {
  const at = line.indexOf(dateMember);
  return at < 0 ? Number.NaN : Number.parseInt(line.toString('latin1', at + dateMember.length, at + dateMember.length + 18), 10);
}
