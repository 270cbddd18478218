// The lines of a file of rows, as row-reader.ts reads them.
import { checksummedLine } from '../checksummed-line.ts';
import type { RowChange, RowFormat } from './row-reader.ts';

const rowsAtOnce = 500;

/** One group of changes; `top`: the highest id so far, 0: none. */
export function lineOf(rows: readonly RowChange<unknown>[], top: number): string {
  return checksummedLine(top > 0 ? { rows, top } : { rows });
}

/** What a database has in place of the first line; `top` as in `lineOf`. */
export function headerOf({ of, schemaVersion }: Pick<RowFormat<unknown>, 'of' | 'schemaVersion'>, top: number): object {
  return top > 0 ? { of, schemaVersion, top } : { of, schemaVersion };
}

/** A whole file with a line for each of these rows, in pieces. */
export function* fileOf(
  { of, schemaVersion }: Pick<RowFormat<unknown>, 'of' | 'schemaVersion'>,
  rows: Iterable<readonly [key: string, row: object]>,
  top: number,
): Generator<string> {
  yield checksummedLine({ of, schemaVersion });
  let lines: string[] = [];
  let isEmpty = true;
  for (const row of rows) {
    isEmpty = false;
    lines.push(lineOf([row], top));
    if (lines.length < rowsAtOnce) continue;
    yield lines.join('');
    lines = [];
  }
  if (lines.length > 0) yield lines.join('');
  // The highest id stays known after its row is dropped.
  else if (top > 0 && isEmpty) yield lineOf([], top);
}
