// Opening a journal after whatever happened: a torn tail is cut, damage in the middle is set aside into
// `<name>.damaged` and reported (Fault T5). What is left holds good lines only.
import { basename, dirname } from 'node:path';
import type { Log } from '../domain/part.ts';
import { isIntact } from './checked-line.ts';
import { replaceFile } from './durable-file.ts';
import { codeOf, type FileLayer, type OpenFile } from './files.ts';
import { scanLines } from './line-scan.ts';

export interface RecoveredJournal {
  readonly file: OpenFile;
  readonly length: number;
  /** Whether lines have moved: positions that `accepts` was told no longer hold. */
  readonly rewritten: boolean;
}

/** Bytes from..to of a file, `to` not included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A new, empty journal whose name is durable. Rejects when there is one that is not empty. */
export async function createJournalFile(files: FileLayer, path: string): Promise<OpenFile> {
  try {
    await (await files.open(path, 'create')).close();
  } catch (error) {
    // Left by an attempt that failed half-way.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const file = await files.open(path, 'journal');
  try {
    if ((await file.size()) > 0) throw new Error(`${path} is not empty`);
    await files.syncFolder(dirname(path));
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Opens a journal that is there and repairs it. `accepts` is asked, in order, whether an intact line holds what it should. */
export async function recoverJournal(
  files: FileLayer,
  path: string,
  log: Log,
  accepts: (line: Buffer, position: number) => boolean,
): Promise<RecoveredJournal> {
  const file = await files.open(path, 'journal');
  try {
    return await repair(files, path, file, log, accepts);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function repair(
  files: FileLayer,
  path: string,
  file: OpenFile,
  log: Log,
  accepts: (line: Buffer, position: number) => boolean,
): Promise<RecoveredJournal> {
  const { bad, good, lines, size } = await inspect(file, accepts);
  const name = basename(path);
  const middle = bad.filter((span) => span.to < good);
  const tail = bad.filter((span) => span.from >= good);
  if (tail.length > 0) await setAside(files, path, await bytesOf(file, tail));
  if (lines > good) log.warn({ code: 'journal-torn', file: name, bytes: lines - good }, 'a torn end of a journal was cut off');
  if (middle.length === 0) {
    if (size > good) {
      await file.truncate(good);
      await file.sync();
    }
    return { file, length: good, rewritten: false };
  }
  const bytes = middle.reduce((sum, { from, to }) => sum + to - from, 0);
  log.error(
    { code: 'records-damaged', file: name, places: middle.length, bytes, kept: `${name}.damaged` },
    'damaged lines of a journal were set aside',
  );
  await setAside(files, path, await bytesOf(file, middle));
  await replaceFile(files, path, await bytesOf(file, goodSpans(middle, good)));
  await file.close();
  const repaired = await files.open(path, 'journal');
  return { file: repaired, length: await repaired.size(), rewritten: true };
}

interface Inspected {
  /** The bad lines, with their newlines and with empty lines that something comes behind. */
  readonly bad: Span[];
  /** Where the last good line ends. */
  readonly good: number;
  /** Where the lines end, finished or not: only newlines are behind. */
  readonly lines: number;
  readonly size: number;
}

async function inspect(file: OpenFile, accepts: (line: Buffer, position: number) => boolean): Promise<Inspected> {
  const bad: Span[] = [];
  let good = 0;
  let lines = 0;
  const scanned = await scanLines(file, (line, position) => {
    if (line.length === 0) return;
    const to = position + line.length + 1;
    const isGood = isIntact(line) && accepts(line, position);
    if (position > lines) bad.push({ from: lines, to: position });
    if (isGood) good = to;
    else bad.push({ from: position, to });
    lines = to;
  });
  const size = await file.size();
  return { bad, good, lines: size > scanned ? size : lines, size };
}

function goodSpans(bad: readonly Span[], end: number): Span[] {
  const starts = [0, ...bad.map(({ to }) => to)];
  const ends = [...bad.map(({ from }) => from), end];
  return starts.map((from, n) => ({ from, to: ends[n] as number })).filter(({ from, to }) => to > from);
}

async function bytesOf(file: OpenFile, spans: readonly Span[]): Promise<Buffer> {
  const parts = spans.map(async ({ from, to }) => {
    const part = Buffer.alloc(to - from);
    await file.read(part, from);
    return part;
  });
  return Buffer.concat(await Promise.all(parts));
}

/** Adds the bytes to `<path>.damaged`, durably, for a person to look at. */
export async function setAside(files: FileLayer, path: string, bytes: Buffer): Promise<void> {
  const side = await openOrCreate(files, `${path}.damaged`);
  try {
    await side.write(bytes, await side.size());
  } finally {
    await side.close();
  }
}

async function openOrCreate(files: FileLayer, path: string): Promise<OpenFile> {
  try {
    return await files.open(path, 'journal');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return createJournalFile(files, path);
  }
}
