// Reads a file of rows, as row-file.ts writes it, in pieces, so that other work runs in between.
import type { z } from 'zod';
import { isIntact, jsonOf } from '../checksummed-line.ts';
import { codeOf, type DecodedRows, type FileLayer, type OpenFile } from '../files.ts';
import { scanLines } from '../records/line-scan.ts';
import { nextTick } from '../records/next-turn.ts';
import { DamagedDocumentError, NewerSchemaError } from './document-format.ts';

/** The format of the rows in a file. */
export interface RowFormat<Row> {
  /** What the rows are: `cards`. */
  readonly of: string;
  readonly schemaVersion: number;
  readonly schema: z.ZodType<Row>;
  /** The id in a row. The file remembers the highest one even after the row is dropped; absent: it remembers none. */
  idOf?(row: Row): number | undefined;
  /** Whether this change drops a secret, which must not stay in outdated lines; absent: the rows have none. */
  dropsSecret?(before: Row, after: Row | null): boolean;
  /** The schemas before, and their rows as rows of this one. */
  readonly older?: {
    readonly schemaVersions: readonly number[];
    readonly schema: z.ZodType<object>;
    upgrade(rows: Iterable<object>): Iterable<readonly [key: string, row: Row]>;
  };
}

/** What the first line of a file tells, or must tell. */
interface Header {
  readonly of: string;
  readonly schemaVersion: number;
  readonly older?: { readonly schemaVersions: readonly number[] };
}

/** Replaces the row under this key; null drops it. */
export type RowChange<Row> = readonly [key: string, row: Row | null];

export interface ReadRows {
  /** Bytes of the header and the valid lines. */
  readonly length: number;
  /** Bytes behind them: a line that a power cut tore before it was acknowledged. */
  readonly torn: number;
  /** They are rows of an older schema. */
  readonly isOlder: boolean;
}

/**
 * Calls back with each line's changes, in order; `top` is 0 when the line has none. The rows of an older file are those of `format.older`.
 * Undefined: the file does not exist. Rejects with a sentence that names the file; with a `DamagedDocumentError` when a stored line was
 * changed or contains something other than rows.
 */
export async function readRowFile<Row>(
  files: FileLayer,
  path: string,
  format: RowFormat<Row>,
  onChanges: (changes: readonly RowChange<Row>[], top: number, isOlder: boolean) => void,
): Promise<ReadRows | undefined> {
  const decoded = await files.tables?.rows(path, format);
  if (decoded !== undefined)
    return giveRows(decoded, onChanges as (changes: readonly RowChange<object>[], top: number, isOlder: boolean) => void);
  let file: OpenFile;
  try {
    file = await files.open(path, 'read');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
  try {
    return await readLines(file, path, format, onChanges);
  } catch (error) {
    throw codeOf(error) === '' ? error : unreadable(path, error);
  } finally {
    await file.close();
  }
}

const rowsAtOnce = 100;

async function giveRows(
  { rows, top }: DecodedRows,
  onChanges: (changes: readonly RowChange<object>[], top: number, isOlder: boolean) => void,
): Promise<ReadRows> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    onChanges(rows.slice(from, from + rowsAtOnce), top, false);
    await nextTick();
  }
  // Also when it has no rows.
  onChanges([], top, false);
  return { length: 0, torn: 0, isOlder: false };
}

/** Every row is checked by its schema: a larger piece would take so long that doors wait. */
const pieceBytes = 32 << 10;

async function readLines<Row>(
  file: OpenFile,
  path: string,
  format: RowFormat<Row>,
  onChanges: (changes: readonly RowChange<Row>[], top: number, isOlder: boolean) => void,
): Promise<ReadRows> {
  const damaged = (what: string) => new DamagedDocumentError(`${path} is damaged: ${what}`);
  let number = 0;
  let length = 0;
  let isOlder = false;
  let bad: { readonly number: number; readonly isTorn: boolean } | undefined;

  await scanLines(
    file,
    (line, position) => {
      number += 1;
      // One group is one line, so only the last line can be torn.
      if (bad !== undefined) throw damaged(`line ${bad.number} is not as it was written`);
      if (!isIntact(line)) {
        // Sectors that did not reach the disk read as zeros.
        bad = { number, isTorn: line.includes(0) };
        return;
      }
      length = position + line.length + 1;
      const value = jsonOf(line);
      if (number === 1) isOlder = checkHeader(path, format, value);
      else {
        const found = changesIn(value, isOlder ? (format.older as unknown as Pick<RowFormat<Row>, 'schema'>) : format);
        if (typeof found === 'string') throw damaged(`line ${number} ${found}`);
        onChanges(found.changes, found.top, isOlder);
      }
    },
    pieceBytes,
  );
  if (bad !== undefined && !bad.isTorn) throw damaged(`line ${bad.number} is not as it was written`);
  if (length === 0) throw damaged('it has no header');
  return { length, torn: (await file.size()) - length, isOlder };
}

/** Whether the rows are those of an older schema. */
function checkHeader(path: string, { of, schemaVersion, older }: Header, value: unknown): boolean {
  const header = typeof value === 'object' && value !== null ? (value as { of?: unknown; schemaVersion?: unknown }) : {};
  if (header.of !== of || typeof header.schemaVersion !== 'number') throw new DamagedDocumentError(`${path} is damaged: it holds no ${of}`);
  if (header.schemaVersion > schemaVersion) {
    throw new NewerSchemaError(
      `${path} was written by a newer latchd (schema ${header.schemaVersion}, this one knows ${schemaVersion}): start that version`,
    );
  }
  return older?.schemaVersions.includes(header.schemaVersion) === true;
}

/** The changes in an intact line, or what is wrong with it. */
function changesIn<Row>(
  value: unknown,
  { schema }: Pick<RowFormat<Row>, 'schema'>,
): { readonly changes: readonly RowChange<Row>[]; readonly top: number } | string {
  const { rows, top = 0 } = typeof value === 'object' && value !== null ? (value as { rows?: unknown; top?: unknown }) : {};
  if (!Array.isArray(rows) || typeof top !== 'number') return 'holds something else than rows';
  const changes: RowChange<Row>[] = [];
  for (const change of rows as readonly unknown[]) {
    if (!Array.isArray(change) || typeof change[0] !== 'string') return 'holds something else than rows';
    const [key, row] = change as [string, unknown];
    if (row === null) changes.push([key, null]);
    else {
      const parsed = schema.safeParse(row);
      if (!parsed.success) return `has a wrong ${key}: ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`;
      changes.push([key, parsed.data]);
    }
  }
  return { changes, top };
}

/** Applies changes to rows of an older schema, which are upgraded when all are read. */
export function followOlder(older: Map<string, object>, changes: readonly RowChange<object>[]): void {
  for (const [key, row] of changes) {
    if (row === null) older.delete(key);
    else older.set(key, row);
  }
}

const headBytes = 512;

/** Whether the file says that its rows are those of an older schema; false when it cannot be read. */
export async function isOlderFile(files: FileLayer, path: string, format: Header): Promise<boolean> {
  try {
    const file = await files.open(path, 'read');
    try {
      const head = Buffer.alloc(Math.min(await file.size(), headBytes));
      await file.read(head, 0);
      const line = head.subarray(0, head.indexOf(0x0a));
      return isIntact(line) && checkHeader(path, format, jsonOf(line));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

const tailBytes = 16_384;

/**
 * The highest id that any row of the file ever had, read from its end alone if possible; 0: none. Undefined: the file does not exist.
 * Rejects as `readRowFile` does.
 */
export async function readTop<Row>(files: FileLayer, path: string, format: RowFormat<Row>): Promise<number | undefined> {
  const known = await topAtEnd(files, path);
  if (known !== undefined) return known;
  let highest = 0;
  const read = await readRowFile(files, path, format, (_changes, top) => {
    highest = Math.max(highest, top);
  });
  return read && highest;
}

/** Undefined when the end of the file does not contain it or cannot be read. */
async function topAtEnd(files: FileLayer, path: string): Promise<number | undefined> {
  try {
    const file = await files.open(path, 'read');
    try {
      const size = await file.size();
      const end = Buffer.alloc(Math.min(size, tailBytes));
      await file.read(end, size - end.length);
      if (end.at(-1) !== 0x0a) return undefined;
      const line = end.subarray(end.lastIndexOf(0x0a, -2) + 1, -1);
      if (!isIntact(line)) return undefined;
      const { top } = jsonOf(line) as { readonly top?: unknown };
      return typeof top === 'number' ? top : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function unreadable(path: string, error: unknown): Error {
  return new Error(`${path} cannot be read (${codeOf(error)})`, { cause: error });
}
