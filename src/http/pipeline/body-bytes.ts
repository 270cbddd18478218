// Reads the body of a request, bounded: as bytes, or as text of a type that an endpoint takes (HTTP API 1.5).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import type { TextBody } from './route.ts';

/** Rejects with `unsupported-media-type`, with `too-large`, and with `invalid-parameter` when the body is not UTF-8. */
export async function readTextBody(request: IncomingMessage, { mediaTypes, bytesAtMost }: TextBody): Promise<string> {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter));
  if (!mediaTypes.includes(type) || !isUtf8 || !isPlain(request.headers))
    throw new DomainError('unsupported-media-type', `the body must be ${mediaTypes.join(' or ')} in UTF-8, without content encoding`);
  return decodeUtf8(await readBytes(request, bytesAtMost));
}

/** Whether the body has no content encoding. */
export function isPlain(headers: IncomingHttpHeaders): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}

/** The whole body. Rejects with `too-large` above `atMost` bytes. */
export function readBytes(request: IncomingMessage, atMost: number): Promise<Buffer> {
  const tooLarge = () => new DomainError('too-large', `the body must not be larger than ${atMost / 1024} KiB`);
  if (Number(request.headers['content-length'] ?? 0) > atMost) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= atMost) chunks.push(chunk);
      else reject(tooLarge()); // what still comes is dropped here, until the server's request timeout
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(cutShort()));
    request.once('close', () => request.readableEnded || reject(cutShort()));
  });
}

function cutShort(): DomainError {
  return invalidParameter('body', 'did not arrive whole');
}

/** Throws `invalid-parameter` when it is not UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidParameter('body', 'must be UTF-8');
  }
}
