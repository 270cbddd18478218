// Shows whether events can be stored now, by storing something.
import type { FileLayer } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';

/** Writes that many bytes, flushes them and deletes them again; `storage-unavailable`. */
export async function probe(files: FileLayer, path: string, bytes: number): Promise<void> {
  try {
    const file = await files.open(path, 'replace');
    try {
      await file.write(Buffer.alloc(bytes, 'latchd '), 0);
      await file.sync();
    } finally {
      await file.close();
      await files.unlink(path);
    }
  } catch (error) {
    throw storageUnavailable(error);
  }
}
