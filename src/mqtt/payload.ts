// Bytes to a checked value: the border at which everything that a lock says is validated.
import type { z } from 'zod';

/** Made once: it keeps nothing between two calls, and making one costs more than the decoding. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** UTF-8 JSON checked by a schema (Protocol 1). The reason names members and types, never their values: those may be card numbers. */
export function decode<T>(payload: Buffer, schema: z.ZodType<T>): Decoded<T> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(payload));
  } catch {
    return { ok: false, reason: 'not UTF-8 JSON' };
  }
  return check(value, schema);
}

/** As `decode`, for what is JSON already. */
export function check<T>(value: unknown, schema: z.ZodType<T>): Decoded<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the message' : issue.path.join('.');
  return { ok: false, reason: `${where}: ${issue?.message ?? 'invalid'}`.slice(0, 200) };
}
