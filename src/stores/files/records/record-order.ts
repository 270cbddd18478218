// The records of a day, newest first, as a table of 32 bytes each: where the line lies, and enough of what it says that a look at many
// records need not read their lines (Store 4.6). What a row names may match; the line itself decides.
import { crc32 } from 'node:zlib';
import type { LockRecord } from '../../../domain/records/record.ts';
import { recordHolder } from '../../../domain/records/record-holder.ts';
import type { NewestFirst } from '../../../domain/records/record-ports.ts';
import type { LinePlace } from './read-lines.ts';

/**
 * A row is eight words, unsigned and little-endian: recordId minus the first one of the file (low 32 bits); lockId (low 32 bits); position
 * (low 32 bits); position (high 16 bits) and length; recordId (high 16 bits), 15 bits of the hash of the type, and the success; hash of
 * the username; hash of the holder; lockDate in seconds. A row of zeros is none: it fills up the last chunk.
 */
export const rowWords = 8;
/** Rows that are read, and looked at, in one turn. */
export const chunkRows = 16_384;
/** The rows, and their CRC-32. */
export const chunkBytes = chunkRows * rowWords * 4 + 4;
const high = 0x1_0000_0000;

/** FNV-1a over the code units of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}

const typeHash = (type: string): number => hashOf(type) & 0xfffe;

/** 1 at half the hash of each of these types: a look-up in a set takes longer than all else that is done for a row. */
function tableOfTypes(types: readonly string[]): Uint8Array {
  const table = new Uint8Array(0x8000);
  for (const type of types) table[typeHash(type) >>> 1] = 1;
  return table;
}

const secondsOf = (at: number): number => Math.min(Math.max(Math.floor(at / 1_000), 0), high - 1);

/** Writes the row of a record as the `n`th of `words`; `length` includes the newline. */
export function putRow(words: Uint32Array, n: number, record: LockRecord, first: number, { position, length }: LinePlace): void {
  const at = n * rowWords;
  const id = record.recordId - first;
  words[at] = id % high;
  words[at + 1] = record.lockId % high;
  words[at + 2] = position % high;
  words[at + 3] = Math.floor(position / high) * 0x1_0000 + length;
  words[at + 4] = Math.floor(id / high) * 0x1_0000 + typeHash(record.type) + (record.success ? 1 : 0);
  words[at + 5] = hashOf(record.username);
  words[at + 6] = hashOf(recordHolder(record));
  words[at + 7] = secondsOf(record.lockDate);
}

/** The recordId of the `n`th row. */
export function idOfRow(words: Uint32Array, n: number, first: number): number {
  return first + (words[n * rowWords] as number) + ((words[n * rowWords + 4] as number) >>> 16) * high;
}

/** Where the line of the row at this word lies; `packed`: its fourth word. */
const placeAt = (words: Uint32Array, at: number, packed: number): LinePlace => ({
  position: (words[at + 2] as number) + (packed >>> 16) * high,
  length: packed & 0xffff,
});

/** Where the lines of all rows lie, in the order of the rows. */
export function placesOfRows(words: Uint32Array): LinePlace[] {
  const places: LinePlace[] = [];
  for (let at = 0; at < words.length; at += rowWords) {
    const packed = words[at + 3] as number;
    if (packed !== 0) places.push(placeAt(words, at, packed));
  }
  return places;
}

interface RowMatch {
  readonly recordId: number;
  readonly place: LinePlace;
}

/** What a filter finds in some rows of a chunk. */
export interface RowStep {
  /** Not more than the query asks for at once. */
  readonly matches: readonly RowMatch[];
  /** The lowest recordId of a wanted lock that was looked at; undefined: there is none. */
  readonly lowest: number | undefined;
  /** How many rows were looked at. */
  readonly looked: number;
}

/** The query, as rows can answer it: it looks no further than it is asked to. */
export function createRowFilter(query: NewestFirst): (words: Uint32Array, first: number) => Generator<RowStep, void> {
  const { before, success, username, atOnce } = query;
  const locks = new Set(Array.from(query.locks, (lockId) => lockId % high));
  const [from, to] = [secondsOf(query.from), secondsOf(query.to)];
  const types = query.types && tableOfTypes(query.types);
  const name = username === undefined ? undefined : hashOf(username);
  const holders = query.holders && new Set(query.holders.map(hashOf));

  function matches(words: Uint32Array, at: number): boolean {
    const seconds = words[at + 7] as number;
    const type = words[at + 4] as number;
    if (seconds < from || seconds > to) return false;
    if (success !== undefined && (type & 1) !== (success ? 1 : 0)) return false;
    if (types !== undefined && types[(type & 0xfffe) >>> 1] === 0) return false;
    if (name !== undefined && words[at + 5] !== name) return false;
    return holders === undefined || holders.has(words[at + 6] as number);
  }
  function lowestOf(words: Uint32Array, first: number): number | undefined {
    for (let n = words.length / rowWords - 1; n >= 0; n--) {
      if (words[n * rowWords + 3] === 0 || !locks.has(words[n * rowWords + 1] as number)) continue;
      const recordId = idOfRow(words, n, first);
      return recordId < before ? recordId : undefined;
    }
    return undefined;
  }
  return function* find(words, first) {
    const rows = words.length / rowWords;
    let found: RowMatch[] = [];
    let from = firstRowBelow(before, words, first);
    for (let n = from; n < rows; n++) {
      const at = n * rowWords;
      const packed = words[at + 3] as number;
      // The locks last: for most rows of a rare match they need not be looked up.
      if (packed === 0 || !matches(words, at) || !locks.has(words[at + 1] as number)) continue;
      const recordId = idOfRow(words, n, first);
      found.push({ recordId, place: placeAt(words, at, packed) });
      if (found.length < atOnce) continue;
      yield { matches: found, lowest: recordId, looked: n + 1 - from };
      found = [];
      from = n + 1;
    }
    yield { matches: found, lowest: lowestOf(words, first), looked: rows - from };
  };
}

/** The rows are by falling recordId; those that fill up the last chunk have none, and come last. */
function firstRowBelow(before: number, words: Uint32Array, first: number): number {
  let [low, high] = [0, words.length / rowWords];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (words[middle * rowWords + 3] === 0 || idOfRow(words, middle, first) < before) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bytes of a chunk; fewer rows than it has are filled up. */
export function bytesOfChunk(words: Uint32Array): Buffer {
  const bytes = Buffer.alloc(chunkBytes);
  bytes.set(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), chunkBytes - 4);
  return bytes;
}

/** The rows in the bytes of a chunk; undefined when it is damaged. */
export function rowsOfChunk(bytes: Buffer): Uint32Array | undefined {
  if (bytes.readUInt32LE(chunkBytes - 4) !== crc32(bytes.subarray(0, -4))) return undefined;
  return new Uint32Array(bytes.buffer, bytes.byteOffset, chunkRows * rowWords);
}
