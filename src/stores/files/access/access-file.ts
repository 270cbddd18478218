// One file of the access log: found at a start, or read on demand (Store 10).
import type { AccessLine } from '../../../domain/access/access-log.ts';
import { readIfThere, replaceFile } from '../documents/durable-file.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { type DayName, dayFileName, indexFileName } from '../records/day-file.ts';
import { scanLines } from '../records/line-scan.ts';
import { nextTick } from '../records/next-turn.ts';
import { type LinePlace, readLines } from '../records/read-lines.ts';
import { accessLineOf, keysOf } from './access-line.ts';
import { createLinePlaces, type FileHead, headOf, type LinePlaces, placesIn } from './line-places.ts';

export interface AccessFile {
  readonly name: DayName;
  readonly path: string;
  readonly indexPath: string;
  readonly factsPath: string;
  head: FileHead;
  /** Of the open file, and of one whose index could not be written. */
  places: LinePlaces | undefined;
}

/** More than the first line of an index. */
const headBytes = 1_024;
/** Lines that are decoded before other work may run. */
const sliceLines = 25;
/** Keys that are looked up in an index before other work may run. */
const sliceKeys = 10;

export function accessFileOf(folder: string, name: DayName): AccessFile {
  const path = `${folder}/${dayFileName(name)}`;
  const head = { bytes: 0, lines: 0, lastId: 0, newestAt: 0, isCondensed: false };
  const factsPath = path.replace(/jsonl$/, 'facts');
  return { name, path, indexPath: `${folder}/${indexFileName(name)}`, factsPath, head, places: undefined };
}

/** The head in the index beside a file; undefined when there is none that belongs to it. */
export async function readHead(files: FileLayer, { path, indexPath }: AccessFile): Promise<FileHead | undefined> {
  const index = await files.open(indexPath, 'read').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (index === undefined) return undefined;
  const beginning = Buffer.alloc(headBytes);
  const head = headOf(beginning.subarray(0, await index.read(beginning, 0).finally(index.close)));
  if (head === undefined) return undefined;
  const file = await files.open(path, 'read');
  return (await file.size().finally(file.close)) === head.bytes ? head : undefined;
}

/** Calls `onLine` for each intact line, and resolves with how many others there are. The bytes are valid only until it returns. */
export async function scanFile(
  files: FileLayer,
  path: string,
  onLine: (line: AccessLine, place: LinePlace, bytes: Buffer) => void,
): Promise<number> {
  let damaged = 0;
  const file = await files.open(path, 'read');
  await scanLines(file, (bytes, position) => {
    const line = accessLineOf(bytes);
    if (line === undefined) damaged += 1;
    else onLine(line, { position, length: bytes.length + 1 }, bytes);
  }).finally(file.close);
  return damaged;
}

/** Writes the index of a finished file; from then on its places are read from there. */
export async function writeIndex(files: FileLayer, file: AccessFile): Promise<void> {
  const { places, indexPath, head } = file;
  if (places === undefined) return;
  await replaceFile(files, indexPath, await places.encode(head));
  file.places = undefined;
}

/** Calls `onLine` for the lines of a file under any of these keys, a few in each turn. Damaged ones are left out. */
export async function linesUnder(
  files: FileLayer,
  file: AccessFile,
  keys: readonly string[],
  onLine: (line: AccessLine) => void,
): Promise<void> {
  const places = await placesUnder(files, file, keys);
  if (places.length === 0) return;
  const handle = await files.open(file.path, 'read');
  const found = await readLines(handle.read, places).finally(handle.close);
  for (const [n, bytes] of found.entries()) {
    if (n % sliceLines === sliceLines - 1) await nextTick();
    const line = accessLineOf(bytes);
    if (line !== undefined) onLine(line);
  }
}

async function placesUnder(files: FileLayer, file: AccessFile, keys: readonly string[]): Promise<readonly LinePlace[]> {
  const { places } = file;
  if (places !== undefined) return keys.flatMap((key) => places.under(key));
  const index = await readIfThere(files, file.indexPath);
  const indexed = index && (await indexedUnder(index, keys));
  if (indexed !== undefined) return indexed;
  // The next start makes the index again; until then the file is read.
  const found: LinePlace[] = [];
  await scanFile(files, file.path, (line, place) => {
    if (keysOf(line).some((key) => keys.includes(key))) found.push(place);
  });
  return found;
}

/** Undefined: the index is damaged. */
async function indexedUnder(index: Buffer, keys: readonly string[]): Promise<readonly LinePlace[] | undefined> {
  const found: (readonly LinePlace[])[] = [];
  for (const [n, key] of keys.entries()) {
    if (n % sliceKeys === sliceKeys - 1) await nextTick();
    const places = placesIn(index, key);
    if (places === undefined) return undefined;
    found.push(places);
  }
  return found.flat();
}

/** The places of all lines of a file, read from the file. */
export async function placesOf(
  files: FileLayer,
  path: string,
  onLine: (line: AccessLine) => void,
): Promise<{ readonly places: LinePlaces; readonly damaged: number }> {
  const places = createLinePlaces();
  const damaged = await scanFile(files, path, (line, place) => {
    places.add(line, place);
    onLine(line);
  });
  return { places, damaged };
}
