// Finds the parts of a file of checksummed lines that are not what was written, and whether a power cut can explain them.
//
// The open journal has newlines behind its lines (journal.ts). The sectors of a group that is being written reach the disk in any order, or
// not at all: then newlines show between its lines, and the lines at both ends of such a hole are incomplete. This group was never
// acknowledged, and no group comes after it. All other bad parts were changed by the disk.
import { isIntact } from '../checksummed-line.ts';
import type { OpenFile } from '../files.ts';
import { scanLines } from './line-scan.ts';

/** Bytes from..to of a file; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

interface BadSpan extends Span {
  /** `hole`: newlines with other bytes behind them. */
  readonly kind: 'damaged' | 'torn' | 'hole';
  /** Its first line, counted from 1. */
  readonly line: number;
}

export interface Inspected {
  /** In file order, with their newlines. */
  readonly bad: readonly BadSpan[];
  /** End of the last good line. */
  readonly good: number;
  /** End of the lines, finished or not: only newlines are behind it. */
  readonly lines: number;
  /** Bytes behind the last newline. */
  readonly unfinished: number;
  readonly size: number;
}

/** A flipped bit can turn one byte into a newline, and so make one empty line, but not two. */
const leastHole = 2;
const [opening, closing] = [0x7b, 0x7d];

/** Reads the whole file. Calls `accepts`, in order, to check the content of each intact line. */
export async function inspectLines(
  file: OpenFile,
  accepts: (line: Buffer, position: number, number: number) => boolean,
): Promise<Inspected> {
  const bad: BadSpan[] = [];
  let number = 0;
  let good = 0;
  let lines = 0;
  /** The last line is bad and its end is missing. */
  let isCut = false;

  /** This many empty lines begin at the end of the last line. */
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
