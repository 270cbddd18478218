// Bytes to a checked value: the border at which everything that a lock says is validated.
import { isAscii } from 'node:buffer';
import type { z } from 'zod';

/** Made once: it keeps nothing between two calls, and making one costs more than the decoding. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** UTF-8 JSON checked by a schema (Protocol 1). The reason names members and types, never their values: those may be card numbers. */
export function decode<T>(payload: Buffer, schema: z.ZodType<T>): Decoded<T> {
  const parsed = parse(payload);
  return parsed.ok ? check(parsed.value, schema) : parsed;
}

/** UTF-8 JSON, of whatever shape. */
export function parse(payload: Buffer): Decoded<unknown> {
  try {
    // Nearly all that locks say is ASCII, which is the same in Latin-1: read so, it costs a fifth.
    return { ok: true, value: JSON.parse(isAscii(payload) ? payload.toString('latin1') : utf8.decode(payload)) };
  } catch {
    return { ok: false, reason: 'not UTF-8 JSON' };
  }
}

/** As `decode`, for what is JSON already. */
export function check<T>(value: unknown, schema: z.ZodType<T>): Decoded<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the message' : issue.path.join('.');
  return { ok: false, reason: `${where}: ${issue?.message ?? 'invalid'}`.slice(0, 200) };
}

/** UTF-8 text of at most 256 bytes, for makes whose payloads are single words; undefined: it is none. */
export function wordOf(payload: Buffer): string | undefined {
  if (payload.length > 256) return undefined;
  try {
    return utf8.decode(payload);
  } catch {
    return undefined;
  }
}
