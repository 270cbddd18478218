// Archives that anybody can open without us: plain files in a tar (POSIX ustar) inside gzip. Only this file names the package tar,
// whose headers it takes; the order of reading and writing stays here, so that memory is bounded and nothing but plain files passes.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Header } from 'tar';

export interface ArchiveFile {
  readonly name: string;
  readonly bytes: number;
  /** Gives exactly `bytes` bytes; read once, to the end, before the next file is asked for. */
  readonly content: AsyncIterable<Buffer>;
}

const blockBytes = 512;
/** For the compressor and its file: few turns of the event loop, little memory. */
const chunkBytes = 128 * 1024;

/** Writes an archive; `sink` gets its bytes in order. Compresses off the event loop. Rejects with what `files`, `sink` or `signal` fail with. */
export async function writeArchive(options: {
  readonly files: AsyncIterable<ArchiveFile>;
  readonly sink: (bytes: Buffer) => Promise<void>;
  /** The date that every file of it shows. */
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
  // Level 1: JSON lines shrink to a tenth anyway, and every further level takes processor time from doors.
  const gzip = createGzip({ level: 1, chunkSize: chunkBytes });
  try {
    await pipeline(Readable.from(packed(files, at), { highWaterMark: 2 }), gzip, toSink, { signal });
  } catch (error) {
    // What the pipeline rejects with is often only that it has ended because of it.
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
 * The files of an archive, in order; each one's content must be read before the next is asked for. Rejects with a sentence when the archive
 * is cut off, damaged, or holds anything but plain files (no links, no folders, no extensions).
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
    // To the very end: the checksum of gzip stands there.
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
    // Such as of a size beyond all numbers, in words of the package.
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

/** Bytes of a stream, as many at a time as are wanted. */
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
  /** At least one byte. */
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
