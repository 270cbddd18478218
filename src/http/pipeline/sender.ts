// Sends an answer: writes its head, compresses it for clients that accept gzip, and sends large ones piece by piece.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzip } from 'node:zlib';
import type { Lease } from '../../domain/lease.ts';
import type { TickBatcher } from '../../domain/tick-batcher.ts';
import { acceptsGzip } from './headers.ts';
import type { StreamedAnswer, TextAnswer, VersionedAnswer } from './route.ts';

/** The part of a request context that an answer needs. */
export interface Answering {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether only a leader may say so: what holds, or was done. */
  readonly needsLease: boolean;
}

export interface Sender {
  /** `headers`: name, value, name, value. Does nothing when the client is gone or an answer was begun. */
  send(to: Answering, status: number, headers: readonly string[], body?: string | Buffer): void;
  sendText(to: Answering, answer: TextAnswer): void;
  /** 304 without a body to a client that has this version. Rejects as the making of the answer does. */
  sendVersioned(to: Answering, answer: VersionedAnswer): Promise<void>;
  /** Resolves when all of it is sent or the client has left. Rejects when the answer fails; before its first piece nothing was sent. */
  sendPieces(to: Answering, answer: StreamedAnswer): Promise<void>;
}

/** An answer whose head is written and whose body is about to be. */
interface Ending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string | Buffer | undefined;
  readonly needsLease: boolean;
}

const sliceBytes = 16 * 1024;

/**
 * A text of so many characters is turned into bytes once. As a string it would be copied whole each time it is measured, joined with its
 * head or written; V8 puts strings of that size into the old space, where they stay in memory for long.
 */
const largeText = 64 * 1024;

/** In characters. Compressing smaller texts saves few packets on the network. */
const worthCompressing = 16 * 1024;

export const json = 'application/json; charset=utf-8';

export const uncached = ['Cache-Control', 'no-store'];

/** A cache must not give a compressed answer to a client that cannot read it. */
const vary = ['Vary', 'Accept-Encoding'];

/**
 * `closing`: whether each answer ends its connection. `onAnswered` is called when a whole answer has been handed to its response. An answer that
 * needs the lease is cut off when that has ended before its first byte: its client hears nothing rather than what may not hold any more.
 */
export function createSender(options: {
  readonly tickBatcher: TickBatcher;
  readonly lease: Lease;
  readonly closing: () => boolean;
  readonly onAnswered: (request: IncomingMessage) => void;
}): Sender {
  const { tickBatcher, lease, closing, onAnswered } = options;
  /**
   * One answer at a time is compressed, because it takes a thread from those that disk access uses. Meanwhile others are sent uncompressed.
   */
  let isCompressing = false;
  const endSoon = tickBatcher.batch('answers', ({ request, response, body, needsLease }: Ending) => {
    if (needsLease && lease.leftMs() === 0) return void response.destroy();
    response.end(body);
    onAnswered(request);
  });

  function write(to: Answering, status: number, headers: readonly string[], body?: string | Buffer): void {
    const { request, response, needsLease } = to;
    if (response.destroyed || response.headersSent) return;
    const outgoing = typeof body === 'string' && body.length >= largeText ? Buffer.from(body) : body;
    const length = outgoing === undefined ? [] : ['Content-Length', String(Buffer.byteLength(outgoing))];
    writeHead(to, status, [...headers, ...length]);
    if (typeof body !== 'object' || request.method === 'HEAD') endSoon({ request, response, body: outgoing, needsLease });
    else if (needsLease && lease.leftMs() === 0) response.destroy();
    // A large answer to a slow reader must not be buffered whole: TLS would copy it for each client.
    else Readable.from(slices(body)).pipe(response);
  }

  function writeHead({ requestId, request, response }: Answering, status: number, headers: readonly string[]): void {
    const all = [...headers, 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId];
    if (closing() || isOldAndChunked(request)) all.push('Connection', 'close');
    response.writeHead(status, all);
  }

  function compressAndWrite(to: Answering, status: number, headers: readonly string[], body: string): void {
    isCompressing = true;
    gzip(body, { level: 1 }, (error, bytes) => {
      isCompressing = false;
      if (error) write(to, status, [...headers, ...vary], body);
      else write(to, status, [...headers, ...vary, 'Content-Encoding', 'gzip'], bytes);
    });
  }

  function send(to: Answering, status: number, headers: readonly string[], body?: string | Buffer): void {
    const { method, headers: asked } = to.request;
    if (typeof body !== 'string' || body.length < worthCompressing) write(to, status, headers, body);
    else if (!isCompressing && method !== 'HEAD' && acceptsGzip(asked['accept-encoding'])) compressAndWrite(to, status, headers, body);
    else write(to, status, [...headers, ...vary], body);
  }

  return {
    send,

    async sendVersioned(to, { version, text }) {
      // Weak: compressed and plain bytes have the same one (RFC 9110 section 8.8.1). No cache but that of this person may store it.
      const headers = ['Content-Type', json, 'Cache-Control', 'private, no-cache', 'ETag', `W/"${version}"`];
      if (to.request.headers['if-none-match']?.includes(`"${version}"`)) write(to, 304, [...headers, ...vary]);
      else send(to, 200, headers, await text());
    },

    /** A client may cache a text with an ETag, if it asks each time whether the text has changed (RFC 9111 section 5.2.2.4). */
    sendText(to, { contentType, text, gzipped, etag, headers = [], isImmutable = false }) {
      if (typeof text === 'string') return send(to, 200, ['Content-Type', contentType, ...uncached, ...headers], text);
      const asked = to.request.headers;
      const isZipped = gzipped !== undefined && acceptsGzip(asked['accept-encoding']);
      // Compressed and plain bytes need different ETags (RFC 9110 section 8.8.3).
      const name = isZipped ? etag?.replace(/"$/, '-gzip"') : etag;
      const cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
      const encoding = [...(gzipped === undefined ? [] : vary), ...(isZipped ? ['Content-Encoding', 'gzip'] : [])];
      const caching = name === undefined ? uncached : ['Cache-Control', cacheControl, 'ETag', name];
      const all = ['Content-Type', contentType, ...caching, ...encoding, ...headers];
      if (name !== undefined && asked['if-none-match']?.includes(name)) write(to, 304, all);
      else write(to, 200, all, isZipped ? gzipped : text);
    },

    async sendPieces(to, { contentType, pieces, headers = [] }) {
      const { request, response, needsLease } = to;
      const all = ['Content-Type', contentType, ...uncached, ...headers];
      if (request.method === 'HEAD') return write(to, 200, all);
      const iterator = pieces[Symbol.asyncIterator]();
      const first = await iterator.next();
      if (needsLease && lease.leftMs() === 0) response.destroy();
      if (!response.destroyed) writeHead(to, 200, all);
      await pipeline(Readable.from(from(first, iterator), { objectMode: false }), response).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'ERR_STREAM_UNABLE_TO_PIPE') throw error;
      });
      onAnswered(request);
    },
  };
}

/** RFC 9112 section 6.1: an HTTP/1.0 intermediary that forwarded this request may have taken another length for its body. */
function isOldAndChunked({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

function* slices(body: Buffer): Iterable<Buffer> {
  for (let start = 0; start < body.length; start += sliceBytes) yield body.subarray(start, start + sliceBytes);
}

/** The pieces from `first` on; ends them when it is ended itself. */
async function* from<T>(first: IteratorResult<T>, iterator: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
