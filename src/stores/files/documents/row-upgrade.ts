// Converts the single document of an older program to rows, once, at a start.
import { dirname } from 'node:path';
import type { FileLayer } from '../files.ts';
import type { BeforeUpgrade, Document } from './document.ts';
import { previousOf, removeIfThere } from './durable-file.ts';
import type { RowFile } from './rows.ts';

/**
 * Reads the rows, or makes them from the older document; false when neither exists. The file of rows gets its name when all rows are on the
 * disk, and the older document is deleted after that: if a power cut leaves both, the rows count. Rejects as `load` of either does.
 */
export async function loadRows<Row, T>(options: {
  readonly files: FileLayer;
  readonly rows: RowFile<Row>;
  readonly older: {
    readonly path: string;
    readonly document: Document<T>;
    readonly rowsOf: (content: T) => Iterable<readonly [string, Row]>;
  };
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): Promise<boolean> {
  const { files, rows, older, beforeUpgrade } = options;
  const { path, document, rowsOf } = older;
  if (!(await rows.load())) {
    if (!(await document.load())) return false;
    await beforeUpgrade?.(path);
    await rows.create(rowsOf(document.current()));
  }
  for (const old of [previousOf(path), path]) await removeIfThere(files, old);
  await files.syncFolder(dirname(path));
  return true;
}
