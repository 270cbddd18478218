// Where the lines of one file of the access log lie, by what they are about; and the index beside a finished file, in which a look-up
// finds its lines by halves (Store 10).
import { z } from 'zod';
import type { AccessLine } from '../../../domain/access/access-log.ts';
import { isIntact, jsonOf } from '../checksummed-line.ts';
import { nextTick } from '../records/next-turn.ts';
import type { LinePlace } from '../records/read-lines.ts';
import { keysOf } from './access-line.ts';
import { encodeLines } from './sliced-lines.ts';

/** What is known of a file without reading it. */
export interface FileHead {
  readonly bytes: number;
  readonly lines: number;
  /** 0: there is none. */
  readonly lastId: number;
  /** When its newest line was recorded; 0: there is none. */
  readonly newestAt: number;
  /** It has only what still stood at its end, because its files were older than the retention. */
  readonly isCondensed: boolean;
}

export interface LinePlaces {
  head(bytes: number, isCondensed: boolean): FileHead;
  add(line: AccessLine, place: LinePlace): void;
  under(key: string): readonly LinePlace[];
  /** The content of an index, made in slices. */
  encode(head: FileHead): Promise<Buffer>;
}

const newline = 10;
/** Of what stands behind the kind of a key, the space included. */
const beginningCharacters = 4;
/** Keys that are sorted before other work may run. */
const sliceKeys = 1_000;
const whole = z.int().min(0);
const headLine = z.object({
  schemaVersion: z.literal(1),
  bytes: whole,
  lines: whole,
  lastId: whole,
  newestAt: z.int(),
  isCondensed: z.boolean(),
});
const keyLine = z.object({ key: z.string(), places: z.array(whole) });
const onlyKey = keyLine.pick({ key: true });
/** In a line of an index, between its key and its places. */
const placesBegin = ',"places":[';
const closing = Buffer.from('}');

export function createLinePlaces(): LinePlaces {
  /** Position and length of each line, one behind the other. */
  const byKey = new Map<string, number[]>();
  let lines = 0;
  let lastId = 0;
  let newestAt = 0;
  return {
    head: (bytes, isCondensed) => ({ bytes, lines, lastId, newestAt, isCondensed }),
    add(line, { position, length }) {
      lines += 1;
      lastId = Math.max(lastId, line.id);
      newestAt = Math.max(newestAt, line.recordedAt);
      for (const key of keysOf(line)) {
        const places = byKey.get(key);
        if (places === undefined) byKey.set(key, [position, length]);
        else places.push(position, length);
      }
    },
    under: (key) => pairs(byKey.get(key) ?? []),
    async encode(head) {
      const keys = await inOrder(byKey.keys());
      return encodeLines(indexLines(head, keys, byKey));
    },
  };
}

/** Sorted, those that begin alike by themselves, so that nothing else waits for all of them. */
async function inOrder(keys: Iterable<string>): Promise<readonly string[]> {
  const beginnings = new Map<string, string[]>();
  for (const key of keys) {
    const beginning = key.slice(0, key.indexOf(' ') + beginningCharacters);
    const there = beginnings.get(beginning);
    if (there === undefined) beginnings.set(beginning, [key]);
    else there.push(key);
  }
  const sorted: string[] = [];
  let sortedBefore = 0;
  for (const beginning of [...beginnings.keys()].sort()) {
    for (const key of (beginnings.get(beginning) as string[]).sort()) sorted.push(key);
    if (sorted.length - sortedBefore < sliceKeys) continue;
    sortedBefore = sorted.length;
    await nextTick();
  }
  return sorted;
}

function* indexLines(head: FileHead, keys: readonly string[], byKey: ReadonlyMap<string, readonly number[]>): Generator<object> {
  yield { schemaVersion: 1, ...head };
  for (const key of keys) yield { key, places: byKey.get(key) };
}

/** The head of an index; undefined when its first line is not what was written. `beginning` has at least the whole first line. */
export function headOf(beginning: Buffer): FileHead | undefined {
  const end = beginning.indexOf(10);
  const bytes = beginning.subarray(0, Math.max(0, end));
  if (!isIntact(bytes)) return undefined;
  const { schemaVersion: _, ...head } = headLine.safeParse(jsonOf(bytes)).data ?? { schemaVersion: 1 };
  return 'bytes' in head ? head : undefined;
}

/**
 * What an index has under a key, found by halves: its lines are in the order of their keys. Undefined: a line that was read on the way is
 * damaged.
 */
export function placesIn(index: Buffer, key: string): readonly LinePlace[] | undefined {
  let low = index.indexOf(newline) + 1;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle === low ? low : Math.max(low, index.lastIndexOf(newline, middle - 1) + 1);
    const end = index.indexOf(newline, start);
    const bytes = index.subarray(start, Math.max(start, end));
    const there = isIntact(bytes) ? keyIn(bytes) : undefined;
    if (there === undefined) return undefined;
    if (there === key) return placesOfLine(bytes);
    if (there < key) low = end + 1;
    else high = start;
  }
  return [];
}

/** The key of an index line; its places, of which a lock has very many, are not parsed. */
function keyIn(line: Buffer): string | undefined {
  const end = line.indexOf(placesBegin);
  return end < 0 ? undefined : onlyKey.safeParse(jsonOf(Buffer.concat([line.subarray(0, end), closing]))).data?.key;
}

function placesOfLine(line: Buffer): readonly LinePlace[] | undefined {
  const found = keyLine.safeParse(jsonOf(line)).data;
  return found && pairs(found.places);
}

function pairs(numbers: readonly number[]): LinePlace[] {
  const places: LinePlace[] = [];
  for (let n = 0; n + 1 < numbers.length; n += 2) places.push({ position: numbers[n] as number, length: numbers[n + 1] as number });
  return places;
}
