// Writes a whole file of rows at once.
import type { FileLayer } from '../files.ts';
import { LineFile } from './line-file.ts';
import { fileOf, headerOf } from './row-lines.ts';
import type { RowFormat } from './row-reader.ts';

/**
 * Writes a file of rows without keeping them in memory; replaces an existing one. The rows are taken as they are written, so that making them
 * holds up nothing. `storage-unavailable`: nothing was changed.
 */
export function writeRowFile<Row extends object>(
  { files, path, format }: { readonly files: FileLayer; readonly path: string; readonly format: RowFormat<Row> },
  rows: Iterable<readonly [key: string, row: Row]>,
): Promise<void> {
  if (files.tables !== undefined) return files.tables.writeRows(path, headerOf(format, 0), rows, true);
  return new LineFile(files, path).rewrite(fileOf(format, rows, 0), () => true);
}
