// The format of a JSON document: its schema, and how the content of older ones is brought to it (Store 2).
import type { z } from 'zod';

/** The format of a document. `upgrades[n]` turns the content of schema n into that of n + 1. */
export interface DocumentFormat<T> {
  readonly schemaVersion: number;
  readonly schema: z.ZodType<T>;
  /** What is written of a value, when that is not the value itself: what `schema` reads. */
  stored?(value: T): object;
  readonly upgrades?: Readonly<Record<number, (content: unknown) => unknown>>;
}

/** A newer program wrote the document: this stops the start, whichever document it is. */
export class NewerSchemaError extends Error {}

/** The content is not what was written. */
export class DamagedDocumentError extends Error {}

/**
 * What the document says, in the present schema. Throws `NewerSchemaError`, `DamagedDocumentError`, and an error for a schema from which no
 * upgrade is known.
 */
export function contentOf<T>(path: string, format: DocumentFormat<T>, { schemaVersion, ...content }: Envelope): T {
  if (schemaVersion > format.schemaVersion) {
    throw new NewerSchemaError(
      `${path} was written by a newer latchd (schema ${schemaVersion}, this one knows ${format.schemaVersion}): start that version`,
    );
  }
  let upgraded: unknown = content;
  for (let version = schemaVersion; version < format.schemaVersion; version++) {
    const upgrade = format.upgrades?.[version];
    if (!upgrade) throw new Error(`${path} has schema ${version}, from which this latchd knows no upgrade`);
    upgraded = upgrade(upgraded);
  }
  const result = format.schema.safeParse(upgraded);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new DamagedDocumentError(
    `${path} is damaged: ${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'not as it must be'}`,
  );
}

interface Envelope {
  readonly schemaVersion: number;
  readonly [member: string]: unknown;
}

/** The document before its content is checked. Throws a `DamagedDocumentError` when it is no JSON of ours. */
export function envelopeOf(path: string, text: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedDocumentError(`${path} is damaged: ${text === '' ? 'it is empty' : 'it is not JSON'}`);
  }
  const version = typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined;
  if (!Number.isInteger(version) || Number(version) < 1) throw new DamagedDocumentError(`${path} is damaged: it has no schemaVersion`);
  return value as Envelope;
}
