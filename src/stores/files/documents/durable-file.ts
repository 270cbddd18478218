// Files that are replaced as a whole and survive a power cut, and the lowdb adapter built on them. lowdb's own adapters never flush. Only
// this file names lowdb.
import { dirname } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { codeOf, type FileLayer } from '../files.ts';

/** One value in one file: read and replaced as a whole. */
export interface DurableFile<T> {
  /** Null when the file does not exist. */
  read(): Promise<T | null>;
  /** Resolves when the new content is on the disk. The file has either the old or the new content, never a mixture. */
  write(value: T): Promise<void>;
}

/** A lowdb database over one file. `decode` throws when the file does not have the expected content. */
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
      if (files.tables === undefined) await keepPrevious(files, path);
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

/** Temporary file, fsync, rename, fsync of the folder. A failure before the rename leaves the old file as it was. */
export async function replaceFile(files: FileLayer, path: string, bytes: Uint8Array): Promise<void> {
  if (files.tables !== undefined) return files.tables.replace(path, bytes);
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
    // Frees the space on a full disk; the first error is the one that is reported.
    await files.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncFolder(dirname(path));
}

/** The bytes of a file; undefined when it does not exist. */
export async function readIfThere(files: FileLayer, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a name; a missing file is no error. Durable after a `syncFolder`. */
export async function removeIfThere(files: FileLayer, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The name of the file's previous version: for a person to look at, never loaded by the program. */
export function previousOf(path: string): string {
  return `${path}.previous`;
}

/** Links the present content to its second name. */
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
