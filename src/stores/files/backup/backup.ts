// Writes one backup: an archive under a temporary name, flushed, renamed, so that what has the name of a backup is whole. It holds keys and
// token hashes, and the first token as long as no other administrator's is there: mode 0600. Memory does not grow with the records, and the
// event loop is free between pieces.
import { createHash, type Hash } from 'node:crypto';
import { dirname } from 'node:path';
import { codeOf, type FileLayer } from '../files.ts';
import { type BackupReason, dataPrefix, type ListedFile, manifestName, manifestOf } from './backup-manifest.ts';
import type { BackupSource, OpenContent } from './backup-sources.ts';
import { type ArchiveFile, writeArchive } from './tar.ts';

const pieceBytes = 128 * 1024;
/** Flushed so often that records never wait for a flush of a whole archive. */
const flushEveryBytes = 8 << 20;
/** What is never taken: on the same disk, the records need it. */
const reserveBytes = 64 << 20;

export interface BackupOutcome {
  /** The archive. */
  readonly file: string;
  /** Of the archive. */
  readonly bytes: number;
  readonly files: number;
}

export interface BackupOptions {
  /** Not those that end the process when a flush fails: it is not the store's disk. */
  readonly files: FileLayer;
  readonly kept: readonly BackupSource[];
  readonly target: string;
  readonly latchd: string;
  readonly reason: BackupReason;
  readonly createdAt: Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
}

/**
 * `target`: the archive's path; its folder must be there, and no file of that name. When it rejects, nothing is left behind.
 * `onProgress` is told how many bytes of data are in it so far.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupOutcome> {
  const { files, target, createdAt, signal } = options;
  const temporary = `${target}.partial`;
  const listed: ListedFile[] = [];

  try {
    if (await isThere(files, target)) throw new Error(`${target} is there already`);
    await leaveRoom(files, target);
    const file = await files.open(temporary, 'replace');
    let bytes = 0;
    try {
      let flushed = 0;
      const sink = async (chunk: Buffer): Promise<void> => {
        await file.write(chunk, bytes);
        bytes += chunk.length;
        if (bytes - flushed < flushEveryBytes) return;
        await file.sync();
        flushed = bytes;
        await leaveRoom(files, target);
      };
      await writeArchive({ files: archived(options, listed), sink, at: createdAt, signal });
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await files.rename(temporary, target);
    await files.syncFolder(dirname(target));
    return { file: target, bytes, files: listed.length };
  } catch (error) {
    await files.unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Each source as it is read, then the manifest of all of them; `listed` grows by what has been read. */
async function* archived(options: BackupOptions, listed: ListedFile[]): AsyncGenerator<ArchiveFile> {
  const { kept, latchd, createdAt, reason, onProgress } = options;
  let dataBytes = 0;
  const onRead = (count: number): void => {
    dataBytes += count;
    onProgress?.(dataBytes);
  };
  for (const source of kept) {
    const content = await source.open();
    if (!content) continue;
    const hash = createHash('sha256');
    try {
      yield { name: `${dataPrefix}${source.name}`, bytes: content.bytes, content: pieces(source.name, content, hash, onRead) };
    } finally {
      await content.close();
    }
    listed.push({ name: source.name, bytes: content.bytes, sha256: hash.digest('hex') });
  }
  const manifest = manifestOf({ latchd, createdAt, reason, files: listed });
  yield { name: manifestName, bytes: manifest.length, content: once(manifest) };
}

async function* pieces(name: string, { bytes, read }: OpenContent, hash: Hash, onRead: (count: number) => void): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - position));
    const count = await read(piece, position).catch((error: unknown) => {
      throw new Error(`${name} cannot be read (${codeOf(error)})`, { cause: error });
    });
    if (count === 0) return;
    const part = piece.subarray(0, count);
    hash.update(part);
    position += count;
    onRead(count);
    yield part;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function isThere(files: FileLayer, path: string): Promise<boolean> {
  return files.open(path, 'read').then(
    async (file) => {
      await file.close();
      return true;
    },
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}

async function leaveRoom(files: FileLayer, target: string): Promise<void> {
  const free = await files.freeBytes(dirname(target));
  if (free < reserveBytes)
    throw new Error(`only ${Math.floor(free / 1_000_000)} MB are free there, and a backup leaves ${reserveBytes >> 20} MB to the records`);
}
