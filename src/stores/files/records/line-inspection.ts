// What of a file of checked lines is not as it was written, and whether a power cut can have made it so.
//
// The open journal holds newlines behind its lines (journal.ts). The sectors of a group that was under way reach the disk in any order, or not
// at all: then the newlines show between its lines, and the lines at both ends of such a hole are cut off there. Nobody had been told that
// this group is kept, and no group comes after it. What is bad in another way was changed by the disk.
import { isIntact } from '../checksummed-line.ts';
import type { OpenFile } from '../files.ts';
import { scanLines } from './line-scan.ts';

/** Bytes from..to of a file, `to` not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

interface BadSpan extends Span {
  /** `hole`: newlines that something comes behind. */
  readonly kind: 'damaged' | 'torn' | 'hole';
  /** Its first line, counted from 1. */
  readonly line: number;
}

export interface Inspected {
  /** In their order, with their newlines. */
  readonly bad: readonly BadSpan[];
  /** Where the last good line ends. */
  readonly good: number;
  /** Where the lines end, finished or not: only newlines are behind. */
  readonly lines: number;
  /** Bytes behind the last newline. */
  readonly unfinished: number;
  readonly size: number;
}

/** A flipped bit can make one newline of something else, and so one empty line, not two. */
const leastHole = 2;
const [opening, closing] = [0x7b, 0x7d];

/** Reads it all; `accepts` is asked, in order, whether an intact line holds what it should. */
export async function inspectLines(
  file: OpenFile,
  accepts: (line: Buffer, position: number, number: number) => boolean,
): Promise<Inspected> {
  const bad: BadSpan[] = [];
  let number = 0;
  let good = 0;
  let lines = 0;
  /** The last line is bad and has lost its end. */
  let isCut = false;

  /** So many empty lines begin where the last line ended. */
  function passHole(empty: number): void {
    const before = bad.at(-1);
    if (isCut && empty >= leastHole && before) bad[bad.length - 1] = { ...before, kind: 'torn' };
  }

  const scanned = await scanLines(file, (line, position) => {
    const to = position + line.length + 1;
    const empty = position - lines;
    number += empty + 1;
    passHole(empty);
    if (empty > 0) bad.push({ from: lines, to: position, kind: 'hole', line: number - empty });
    if (isIntact(line) && accepts(line, position, number)) {
      good = to;
      isCut = false;
    } else {
      const hasLostItsBeginning = empty >= leastHole && line[0] !== opening;
      bad.push({ from: position, to, kind: hasLostItsBeginning ? 'torn' : 'damaged', line: number });
      isCut = line.at(-1) !== closing;
    }
    lines = to;
  });
  passHole(scanned - lines);
  const size = await file.size();
  const unfinished = size - scanned;
  return { bad, good, lines: unfinished > 0 ? size : lines, unfinished, size };
}
