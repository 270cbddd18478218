// Writes one backup: an archive under a temporary name, flushed, then renamed, so that a file with the name of a backup is always complete.
// The archive holds keys and token hashes, and the first token as long as no other administrator's token exists: mode 0600. Memory use does
// not grow with the records, and the event loop is free between pieces.
import { createHash, type Hash } from 'node:crypto';
import { dirname } from 'node:path';
import { codeOf, type FileLayer } from '../files.ts';
import { type BackupReason, dataPrefix, type ListedFile, manifestName, manifestOf } from './backup-manifest.ts';
import type { BackupSource, OpenContent } from './backup-sources.ts';
import { type ArchiveFile, writeArchive } from './tar.ts';

const pieceBytes = 128 * 1024;
/** The archive is flushed this often, so that records never wait for the flush of a whole archive. */
const flushEveryBytes = 8 << 20;
/** A backup leaves this many bytes free: records need them if they are on the same disk. */
const reserveBytes = 64 << 20;

export interface BackupOutcome {
  /** The archive. */
  readonly file: string;
  /** Size of the archive. */
  readonly bytes: number;
  readonly files: number;
}

export interface BackupOptions {
  /**
   * A file layer without the flush guard: a failed flush of the archive says nothing about the store's disk and must not end the process.
   */
  readonly files: FileLayer;
  readonly sources: readonly BackupSource[];
  readonly target: string;
  readonly latchd: string;
  readonly reason: BackupReason;
  readonly createdAt: Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
}

/**
 * `target`: the path of the archive; its folder must exist and the file must not. When it rejects, nothing is left behind. Calls
 * `onProgress` with the bytes of data written so far.
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

/** Yields each source while it is read, then the manifest of all of them; adds every finished file to `listed`. */
async function* archived(options: BackupOptions, listed: ListedFile[]): AsyncGenerator<ArchiveFile> {
  const { sources, latchd, createdAt, reason, onProgress } = options;
  let dataBytes = 0;
  const onRead = (count: number): void => {
    dataBytes += count;
    onProgress?.(dataBytes);
  };
  for (const source of sources) {
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
