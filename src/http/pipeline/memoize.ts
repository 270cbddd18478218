// Answers that are made once and identified by an ETag.
import { createHash } from 'node:crypto';
import { gzip } from 'node:zlib';
import type { TextAnswer } from './route.ts';

/** An answer with an ETag made from its content. `headers`: name, value, name, value. */
export function withEtag(contentType: string, text: Buffer, headers: readonly string[] = []): TextAnswer {
  return { contentType, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`, headers };
}

/** As `withEtag`, and compressed as well. */
export async function withEtagCompressed(contentType: string, text: Buffer, headers: readonly string[] = []): Promise<TextAnswer> {
  const gzipped = await new Promise<Buffer>((done, failed) => gzip(text, (error, bytes) => (error ? failed(error) : done(bytes))));
  return { ...withEtag(contentType, text, headers), gzipped };
}

/** Calls `make` once for all callers; after a failure the next call tries again. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
