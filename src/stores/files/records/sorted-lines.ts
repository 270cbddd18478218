// The lines of an open day by (lockId, recordId), whatever its size, in short slices of work. As many as fit into memory are collected in
// one reading of the file from beginning to end: reading each line by itself in sorted order is far slower.
import type { LockId } from '../../../domain/locks/lock.ts';
import { nextTick } from './next-turn.ts';
import type { OpenDay } from './open-day.ts';
import type { OpenRun } from './open-index.ts';

/** Bytes of lines in memory at a time. The file is read once for each group of this size. */
const groupBytes = 16_000_000;
const pieceBytes = 250_000;
const sliceBytes = 80_000;

type FinishedDay = Pick<OpenDay, 'runs' | 'bytes' | 'readAt'>;

export interface SortedLine {
  readonly lockId: LockId;
  readonly lockDate: number;
  /** With its newline; valid until the next slice is requested. */
  readonly bytes: Buffer;
}

/** Consecutive lines of one lock, `to` exclusive. */
interface Part {
  readonly lockId: LockId;
  readonly run: OpenRun;
  readonly from: number;
  readonly to: number;
  /** Their position among the sorted bytes of the group. */
  readonly at: number;
}
interface Group {
  readonly parts: Part[];
  bytes: number;
  longestLine: number;
}

/** All lines, in slices; ends early when `goOn` returns false. */
export async function* sortedSlices(day: FinishedDay, goOn: () => boolean): AsyncGenerator<SortedLine[]> {
  // Reused for each group, because discarded buffers stay in memory for a while.
  let sorted = Buffer.alloc(0);
  for (const group of groupsOf(day)) {
    await nextTick();
    if (sorted.length < group.bytes) sorted = Buffer.allocUnsafe(group.bytes);
    await collect(day, group, sorted, goOn);
    for (const slice of slicesOf(group, sorted)) {
      if (!goOn()) return;
      yield slice;
    }
  }
}

function* groupsOf({ runs }: FinishedDay): Generator<Group> {
  let group: Group = { parts: [], bytes: 0, longestLine: 0 };
  for (const lockId of runs.locks()) {
    const run = runs.of(lockId) as OpenRun;
    for (let from = 0, to = 0; from < run.dates.count; from = to) {
      const at = group.bytes;
      for (; to < run.dates.count && group.bytes < groupBytes; to++) {
        const length = run.lengths[to] as number;
        group.bytes += length;
        if (length > group.longestLine) group.longestLine = length;
      }
      group.parts.push({ lockId, run, from, to, at });
      if (group.bytes < groupBytes) continue;
      yield group;
      group = { parts: [], bytes: 0, longestLine: 0 };
    }
  }
  if (group.parts.length > 0) yield group;
}

/** Copies the lines of a group to their places in `sorted`. The lines of one lock are in the right order in the file already. */
async function collect(day: FinishedDay, { parts, longestLine }: Group, sorted: Buffer, goOn: () => boolean): Promise<void> {
  const cursors = parts.map(({ run, from, to, at }) => ({ run, next: from, to, at }));
  // A line that begins in one piece may end behind it.
  const piece = Buffer.allocUnsafe(pieceBytes + longestLine);
  for (let from = 0; from < day.bytes() && goOn(); from += pieceBytes) {
    await nextTick();
    await day.readAt(piece.subarray(0, Math.min(piece.length, day.bytes() - from)), from);
    for (const cursor of cursors) {
      const { positions, lengths } = cursor.run;
      for (; cursor.next < cursor.to && (positions[cursor.next] as number) < from + pieceBytes; cursor.next++) {
        const start = (positions[cursor.next] as number) - from;
        cursor.at += piece.copy(sorted, cursor.at, start, start + (lengths[cursor.next] as number));
      }
    }
  }
}

function* slicesOf({ parts }: Group, sorted: Buffer): Generator<SortedLine[]> {
  let slice: SortedLine[] = [];
  let at = 0;
  let sliceAt = 0;
  for (const { lockId, run, from, to } of parts) {
    for (let n = from; n < to; n++) {
      const length = run.lengths[n] as number;
      slice.push({ lockId, lockDate: run.dates.values[n] as number, bytes: sorted.subarray(at, at + length) });
      at += length;
      if (at - sliceAt < sliceBytes) continue;
      yield slice;
      slice = [];
      sliceAt = at;
    }
  }
  if (slice.length > 0) yield slice;
}
