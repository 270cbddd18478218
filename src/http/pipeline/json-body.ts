// Reads a JSON body strictly: bounded, UTF-8, one object, no member twice (HTTP API 8).
import type { IncomingMessage } from 'node:http';
import { DomainError, invalidParameter, type ParameterProblem } from '../../domain/errors.ts';
import { repeatedMembers } from '../../domain/repeated-members.ts';
import { decodeUtf8, isPlain, readBytes } from './body-bytes.ts';

const bytesAtMost = 64 * 1024;
/** The limit before the client has authenticated: such a body holds nothing but a token. */
export const strangersBytesAtMost = 4 * 1024;

/**
 * Returns the members of the request's JSON object. Rejects with `unsupported-media-type`, with `too-large` above `atMost` bytes, and with
 * `invalid-parameter` when the body is not well-formed JSON or not an object. Members that appear twice are added to `problems`.
 */
export async function readJsonBody(
  request: IncomingMessage,
  problems: ParameterProblem[],
  atMost = bytesAtMost,
): Promise<Record<string, unknown>> {
  requireJson(request);
  const source = decodeUtf8(await readBytes(request, atMost));
  const body = parse(source);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidParameter('body', 'must be a JSON object');
  for (const parameter of repeatedMembers(source)) problems.push({ parameter, message: 'must be given only once' });
  return body as Record<string, unknown>;
}

function requireJson({ headers }: IncomingMessage): void {
  const json = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers['content-type'] ?? '');
  if (!json || !isPlain(headers))
    throw new DomainError('unsupported-media-type', 'the body must be application/json in UTF-8, without content encoding');
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    throw invalidParameter('body', 'must be well-formed JSON');
  }
}
