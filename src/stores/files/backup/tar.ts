// Archives that anybody can open without latchd: plain files in a tar (POSIX ustar) inside gzip. Only this file names the package tar and
// uses only its headers; reading and writing stay here, so that memory is bounded and only plain files pass.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Header } from 'tar';

export interface ArchiveFile {
  readonly name: string;
  readonly bytes: number;
  /** Yields exactly `bytes` bytes; must be read once and to its end before the next file is requested. */
  readonly content: AsyncIterable<Buffer>;
}

const blockBytes = 512;
/** Chunk size of the compressor and its file: few event loop ticks and little memory. */
const chunkBytes = 128 * 1024;

/** Writes an archive to `sink`, in order. Compresses off the event loop. Rejects with the error of `files`, `sink` or `signal`. */
export async function writeArchive(options: {
  readonly files: AsyncIterable<ArchiveFile>;
  readonly sink: (bytes: Buffer) => Promise<void>;
  /** The modification date of all files in the archive. */
  readonly at: Date;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { files, sink, at, signal } = options;
  let refusal: unknown;
  async function toSink(chunks: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of chunks) await sink(chunk);
    } catch (error) {
      refusal = error;
      throw error;
    }
  }
  // Level 1: it compresses JSON lines well enough, and every further level takes processor time from doors.
  const gzip = createGzip({ level: 1, chunkSize: chunkBytes });
  try {
    await pipeline(Readable.from(packed(files, at), { highWaterMark: 2 }), gzip, toSink, { signal });
  } catch (error) {
    // The pipeline often rejects only with the consequence of this first error.
    throw refusal ?? error;
  }
}

async function* packed(files: AsyncIterable<ArchiveFile>, at: Date): AsyncGenerator<Buffer> {
  for await (const { name, bytes, content } of files) {
    const block = Buffer.alloc(blockBytes);
    const header = new Header({ path: name, mode: 0o600, size: bytes, mtime: at, type: 'File' });
    if (header.encode(block)) throw new Error(`${name} cannot be named in a plain tar header`);
    yield block;
    let given = 0;
    for await (const chunk of content) {
      given += chunk.length;
      yield chunk;
    }
    if (given !== bytes) throw new Error(`${name} gave ${given} bytes instead of ${bytes}`);
    yield Buffer.alloc(paddingOf(bytes));
  }
  yield Buffer.alloc(2 * blockBytes);
}

/**
 * The files of an archive, in order; the content of each must be read before the next is requested. Rejects with a sentence when the
 * archive is incomplete, damaged, or holds anything but plain files (no links, no folders, no extensions).
 */
export async function* readArchive(path: string, signal: AbortSignal): AsyncGenerator<ArchiveFile> {
  const source = createReadStream(path, { highWaterMark: chunkBytes, signal });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  source.once('error', (error) => gunzip.destroy(error));
  try {
    const bytes = puller(source.pipe(gunzip));
    for (;;) {
      const header = headerOf(await bytes.exactly(blockBytes));
      if (header.nullBlock) break;
      const { path: name, size, type } = header;
      if (!header.cksumValid || name === undefined || size === undefined || size < 0) throw new Error('it is damaged');
      if (type !== 'File') throw new Error(`it holds ${name}, which is no plain file`);
      let left = size;
      yield { name, bytes: size, content: contentOf() };
      if (left > 0) throw new Error(`${name} was not read to its end`);
      await bytes.exactly(paddingOf(size));

      async function* contentOf(): AsyncGenerator<Buffer> {
        while (left > 0) {
          const chunk = await bytes.atMost(left);
          left -= chunk.length;
          yield chunk;
        }
      }
    }
    // Reads to the very end, because gzip has its checksum there.
    await bytes.onlyZeros();
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

function headerOf(block: Buffer): Header {
  try {
    return new Header(block);
  } catch (error) {
    // The package throws its own errors, for example about an impossible size.
    throw new Error('it is damaged', { cause: error });
  }
}

function sentenceOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such file (${code})`;
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read it (${code})`;
  if (code === 'Z_BUF_ERROR') return 'it is cut off';
  if (code?.startsWith('Z_')) return `it is damaged, or no gzip file at all (${message})`;
  return message;
}

function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

/** Reads a stream in pieces of the requested size. */
function puller(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  async function refill(): Promise<boolean> {
    while (rest.length === 0) {
      const next = await chunks.next().catch((error: unknown) => {
        throw new Error(sentenceOf(error), { cause: error });
      });
      if (next.done) return false;
      rest = next.value;
    }
    return true;
  }
  /** Returns at least one byte. */
  async function atMost(count: number): Promise<Buffer> {
    if (!(await refill())) throw new Error('it is cut off');
    const taken = rest.subarray(0, count);
    rest = rest.subarray(taken.length);
    return taken;
  }
  return {
    atMost,
    async exactly(count: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let left = count; left > 0; ) {
        const part = await atMost(left);
        parts.push(part);
        left -= part.length;
      }
      return Buffer.concat(parts, count);
    },
    async onlyZeros(): Promise<void> {
      while (await refill()) {
        if (rest.some((byte) => byte !== 0)) throw new Error('it goes on behind its end');
        rest = Buffer.alloc(0);
      }
    },
  };
}
