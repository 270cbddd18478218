// Rows that another node has written.
import type { ForeignContent } from '../followed.ts';
import { DamagedDocumentError, NewerSchemaError } from './document-format.ts';
import type { RowChange, RowFormat } from './row-reader.ts';

/** Decodes them. Throws with a sentence that names the file. */
export function foreignRows<Row>(path: string, format: RowFormat<Row>, { header, rows }: ForeignContent): readonly RowChange<Row>[] {
  if (header !== null && header.schemaVersion > format.schemaVersion)
    throw new NewerSchemaError(`${path} was written by a newer latchd (schema ${header.schemaVersion}): start that version`);
  if (header?.of !== format.of || header.schemaVersion !== format.schemaVersion)
    throw new DamagedDocumentError(`${path} is damaged: it holds no ${format.of} of schema ${format.schemaVersion}`);
  return rows.map(([key, body]): RowChange<Row> => {
    if (body === null) return [key, null];
    const parsed = format.schema.safeParse(JSON.parse(body));
    if (!parsed.success) throw new DamagedDocumentError(`${path} is damaged: it has a wrong ${key}: ${parsed.error.issues[0]?.message}`);
    return [key, parsed.data];
  });
}

/** What they change of `present`; `isWhole`: no other rows stay. */
export function changesOf<Row>(
  present: ReadonlyMap<string, Row>,
  rows: readonly RowChange<Row>[],
  isWhole: boolean,
): readonly RowChange<Row>[] {
  const changes = rows.filter(([key, row]) => row !== null || present.has(key));
  if (!isWhole) return changes;
  const left = new Set(rows.map(([key]) => key));
  return [...[...present.keys()].filter((key) => !left.has(key)).map((key) => [key, null] as const), ...changes];
}
