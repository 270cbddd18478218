// Opens a journal after any kind of interruption: cuts off what a power cut tore, sets damage aside into `<name>.damaged` and reports it
// (Store 4.3, Fault T5). After that, the file has only good lines.
import { basename, dirname } from 'node:path';
import type { Log } from '../../../domain/part.ts';
import { replaceFile } from '../documents/durable-file.ts';
import { codeOf, type FileLayer, type OpenFile } from '../files.ts';
import { inspectLines, type Span } from './line-inspection.ts';

export interface RecoveredJournal {
  readonly file: OpenFile;
  readonly length: number;
  /** Whether lines have moved: then the positions that `accepts` got are invalid. */
  readonly rewritten: boolean;
}

/** A new, empty journal whose name is durable. Rejects when one exists that is not empty. */
export async function createJournalFile(files: FileLayer, path: string): Promise<OpenFile> {
  try {
    await (await files.open(path, 'create')).close();
  } catch (error) {
    // An attempt that failed half-way left this file.
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

/** Opens an existing journal and repairs it. Calls `accepts`, in order, to check the content of each intact line. */
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
  const { bad, good, lines, size } = await inspectLines(file, accepts);
  const name = basename(path);
  const middle = bad.filter((span) => span.to < good);
  const damaged = bad.filter(({ kind }) => kind === 'damaged');
  if (damaged.length > 0) {
    log.error(
      { code: 'records-damaged', file: name, places: damaged.length, bytes: lengthOf(damaged), kept: `${name}.damaged` },
      'damaged lines of a journal were set aside',
    );
    await setAside(files, path, await bytesOf(file, damaged));
  }
  // Everything behind the last good line that is not damaged is torn.
  const torn = lengthOf(middle.filter(({ kind }) => kind === 'torn')) + lines - good - lengthOf(damaged.filter(({ from }) => from >= good));
  if (torn > 0) {
    log.warn(
      { code: 'journal-torn', file: name, bytes: torn },
      'what a power cut tore at the end of a journal was cut off: nobody had been told that it is kept',
    );
  }
  if (middle.length === 0) {
    if (size > good) {
      await file.truncate(good);
      await file.sync();
    }
    return { file, length: good, rewritten: false };
  }
  await replaceFile(files, path, await bytesOf(file, goodSpans(middle, good)));
  await file.close();
  const repaired = await files.open(path, 'journal');
  return { file: repaired, length: await repaired.size(), rewritten: true };
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

function goodSpans(bad: readonly Span[], end: number): readonly Span[] {
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

/** Appends the bytes to `<path>.damaged`, durably, for a person to look at. */
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
