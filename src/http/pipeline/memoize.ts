// Answers that are made once and kept.
import { createHash } from 'node:crypto';
import { gzip } from 'node:zlib';
import type { TextAnswer } from './route.ts';

/** An answer with the ETag of what it holds. `headers`: name, value, name, value. */
export function kept(contentType: string, text: Buffer, headers: readonly string[] = []): TextAnswer {
  return { contentType, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`, headers };
}

/** As `kept`, also compressed: a fifth of the bytes. */
export async function keptCompressed(contentType: string, text: Buffer, headers: readonly string[] = []): Promise<TextAnswer> {
  const gzipped = await new Promise<Buffer>((done, failed) => gzip(text, (error, bytes) => (error ? failed(error) : done(bytes))));
  return { ...kept(contentType, text, headers), gzipped };
}

/** What was made once is kept; what failed is tried again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
