// Files that are replaced whole and survive a power cut, and the lowdb adapter made of them. lowdb's own adapters
// never flush. Only this file names lowdb.
import { dirname } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { codeOf, type FileLayer } from '../files.ts';

/** A value in a file of its own: read whole, replaced whole. */
export interface DurableFile<T> {
  /** Null when there is no such file. */
  read(): Promise<T | null>;
  /** The old content or the new one, never a mixture; on the disk when it resolves. */
  write(value: T): Promise<void>;
}

/** A lowdb database over one file. `decode` throws when the text is not what the file should hold. */
export function openDurableFile<T>(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly decode: (text: string) => T;
  readonly encode: (value: T) => string;
}): DurableFile<T> {
  const { files, path, decode, encode } = options;
  const adapter: Adapter<T | null> = {
    async read() {
      const bytes = await readIfThere(files, path);
      return bytes === undefined ? null : decode(bytes.toString('utf8'));
    },
    async write(value) {
      if (value === null) return;
      await keepPrevious(files, path);
      await replaceFile(files, path, Buffer.from(encode(value)));
    },
  };
  const low = new Low<T | null>(adapter, null);
  return {
    async read() {
      await low.read();
      return low.data;
    },
    async write(value) {
      low.data = value;
      await low.write();
    },
  };
}

/** Temporary file, fsync, rename, fsync of the folder. What fails before the rename leaves the old file as it was. */
export async function replaceFile(files: FileLayer, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await files.open(temporary, 'replace');
    try {
      await file.write(bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    // A full disk gets its room back; the first error is the one that counts.
    await files.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncFolder(dirname(path));
}

/** The bytes of a file; undefined when it is not there. */
export async function readIfThere(files: FileLayer, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a name; one that is not there is no error. Durable after a `syncFolder`. */
export async function removeIfThere(files: FileLayer, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The name of what a file held before: for a person to look at, never loaded by the program. */
export function previousOf(path: string): string {
  return `${path}.previous`;
}

/** Gives the present content its second name. */
async function keepPrevious(files: FileLayer, path: string): Promise<void> {
  const waiting = `${previousOf(path)}.tmp`;
  try {
    await files.link(path, waiting);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (codeOf(error) !== 'EEXIST') throw error;
    await files.unlink(waiting);
    await files.link(path, waiting);
  }
  await files.rename(waiting, previousOf(path));
}
