// The few file operations that the store needs, as an interface, so that a test can let any of them fail. Files are made 0600 and folders
// 0700, whatever the umask.
import { constants, read, write } from 'node:fs';
import { chmod, type FileHandle, link, mkdir, open, readdir, readFile, rename, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Followed, FollowedFolder } from './followed.ts';

export interface OpenFile {
  /**
   * Writes all bytes at a position, and flushes them when the file was opened as a journal. When it rejects, any part of the bytes may be
   * in the file.
   */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves with the number of bytes read: fewer than requested only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** fsync; a journal does not need it. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/**
 * `read`: must exist, never written. `update`: must exist. `create`: must not exist. `replace`: emptied or made. `journal`: must exist;
 * each write is on the disk when it resolves, as after an fdatasync (O_DSYNC), which saves one trip to a thread.
 */
export type OpenMode = 'read' | 'update' | 'create' | 'replace' | 'journal';

export interface FileLayer {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  /** Names in a folder, in any order. */
  readdir(path: string): Promise<string[]>;
  /** Makes the folder (and those above it) if it is missing, and removes the rights of group and others. */
  makeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name; EEXIST when `to` exists. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** How many bytes may still be written on the file system of a folder. */
  freeBytes(path: string): Promise<number>;
  /** How many files may still be made there; undefined when the file system does not count them. */
  freeFiles(path: string): Promise<number | undefined>;
  /** fsync of a folder: makes new, renamed and removed names in it durable. */
  syncFolder(path: string): Promise<void>;
  /** Absent: documents and rows are files. */
  readonly tables?: DocumentTables;
}

/** The rows under their keys, and the highest id so far (0: none), as in a file of rows. */
export interface DecodedRows {
  readonly rows: readonly (readonly [key: string, row: object])[];
  readonly top: number;
}

/**
 * Where a store in a database writes documents and rows. Who reads sees no difference: `readFile` and `open` give the bytes that the file
 * would have. What resolves is durable.
 */
export interface DocumentTables {
  /** The rows, decoded by this format; undefined: `readFile` has them, of an older schema or damaged, or they are not there. */
  rows(path: string, format: object): Promise<DecodedRows | undefined>;
  /** Replaces a document, or makes it. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Puts rows under their keys; null drops one. `isWhole`: they replace all that are there. `header`: as the first line of a file of rows. */
  writeRows(path: string, header: object, rows: Iterable<readonly [key: string, row: object | null]>, isWhole: boolean): Promise<void>;
  /** Those of these files that have a row under a key that begins with `key`, with less than `below` as its `member`. */
  filesWithRow(
    paths: readonly string[],
    row: { readonly key: string; readonly member: string; readonly below: number },
  ): Promise<readonly string[]>;
  /** The highest id in the keys of all rows below this folder, such as `entry 41`; 0: none. */
  highestId(folder: string): Promise<number>;
  /** From now on `followed` is given each change that another node makes under this name. */
  follow(path: string, followed: Followed): void;
  /** The same for all names in a folder; those who follow one of them are not given it. */
  followFolder(folder: string, followed: FollowedFolder): void;
  /** Runs `read` while no change of another node is taken in: what was read before one is never shown after it. */
  undisturbed<T>(read: () => Promise<T>): Promise<T>;
  /** Rejects with `storage-unavailable` when the database is away, and when it does not answer in time: then nobody knows the outcome. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

const flags: Readonly<Record<OpenMode, string | number>> = {
  read: 'r',
  update: 'r+',
  create: 'wx+',
  replace: 'w+',
  journal: constants.O_RDWR | constants.O_DSYNC,
};

/** The system error code (`ENOSPC`, …) of any caught value; '' when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The file layer of the real file system. */
export function nodeFiles(): FileLayer {
  return {
    async open(path, mode) {
      const handle = await open(path, flags[mode], 0o600);
      try {
        if (mode === 'create' || mode === 'replace') await handle.chmod(0o600);
      } catch (error) {
        await handle.close();
        throw error;
      }
      return openFile(handle);
    },
    readFile: (path) => readFile(path),
    readdir: (path) => readdir(path),
    async makeFolder(path) {
      await makeMissing(path);
      await chmod(path, 0o700);
    },
    rename,
    link,
    unlink,
    async freeBytes(path) {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
    async freeFiles(path) {
      const { files, ffree } = await statfs(path);
      return files === 0 ? undefined : ffree;
    },
    async syncFolder(path) {
      const handle = await open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/**
 * Makes a folder (0700) and those above it if they are missing. It goes step by step: the recursive mkdir never ends in a place where
 * nobody can make anything (below /proc).
 */
export async function makeMissing(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeMissing(dirname(path));
    await make();
  }
}

function openFile(handle: FileHandle): OpenFile {
  /** Running reads. They use the file's number, which another file gets once this one is closed. */
  let reads = 0;
  let whenRead: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    if (reads > 0) {
      await new Promise<void>((resolve) => {
        whenRead = resolve;
      });
    }
    await handle.close();
  }
  return {
    async write(bytes, position) {
      let done = 0;
      while (done < bytes.length) {
        const written = await writeSome(handle.fd, bytes, done, position + done);
        if (written === 0) throw new Error('the file system took no bytes');
        done += written;
      }
    },
    async read(into, position) {
      reads += 1;
      try {
        let done = 0;
        while (done < into.length) {
          const count = await readSome(handle.fd, into, done, position + done);
          if (count === 0) break;
          done += count;
        }
        return done;
      } finally {
        reads -= 1;
        if (reads === 0) whenRead?.();
      }
    },
    sync: () => handle.sync(),
    truncate: (length) => handle.truncate(length),
    size: async () => (await handle.stat()).size,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Resolves with the number of bytes written. Every group commit calls this, and it is faster than the write of a file handle. */
function writeSome(fd: number, bytes: Uint8Array, from: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, position, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

/** Resolves with the number of bytes read. */
function readSome(fd: number, into: Uint8Array, from: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, into, from, into.length - from, position, (error, count) => (error ? reject(error) : resolve(count)));
  });
}
