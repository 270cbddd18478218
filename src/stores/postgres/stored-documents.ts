// Documents and sets of rows as they lie in the database, read some at a time.
import { fileOf } from '../files/documents/row-lines.ts';
import type { Query } from './database.ts';
import { slicesOf } from './slices.ts';

export interface NamedDocument {
  readonly name: string;
  /** The number of its last change. */
  readonly version: number;
  /** It is no set of rows. */
  readonly isDocument: boolean;
}

/** What lies under a name. */
export interface StoredDocument {
  /** As the first line of a file of rows; null: it is a document, whose text has the key "". */
  readonly header: Header | null;
  readonly rows: readonly (readonly [key: string, body: string])[];
}

interface Header {
  readonly of: string;
  readonly schemaVersion: number;
  readonly top?: number;
}

const [namesAtOnce, documentsAtOnce] = [5_000, 500];
const names = `SELECT name, change_no AS version, header IS NULL AS "isDocument" FROM document WHERE name > $1
  ORDER BY name LIMIT ${namesAtOnce}`;
const contents = `SELECT name, header::text, key, body::text FROM document LEFT JOIN document_row USING (name)
  WHERE name = ANY ($1) ORDER BY place`;

/** All of them, some at a time. */
export function namedDocuments(query: Query): AsyncGenerator<readonly NamedDocument[]> {
  return slicesOf<NamedDocument>(query, names, { first: [''], keyOf: ({ name }) => [name] });
}

/** What lies under these names, some at a time: a set of rows comes alone. */
export async function* storedUnder(
  query: Query,
  wanted: readonly Pick<NamedDocument, 'name' | 'isDocument'>[],
): AsyncGenerator<ReadonlyMap<string, StoredDocument>> {
  const documents = wanted.filter(({ isDocument }) => isDocument);
  for (let from = 0; from < documents.length; from += documentsAtOnce)
    yield await storedOf(
      query,
      documents.slice(from, from + documentsAtOnce).map(({ name }) => name),
    );
  for (const { name, isDocument } of wanted) if (!isDocument) yield await storedOf(query, [name]);
}

/** What lies under each of these names, in one answer. */
export async function storedOf(query: Query, wanted: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
  const found = new Map<string, { header: Header | null; rows: (readonly [string, string])[] }>();
  const rows = await query<{ name: string; header: string | null; key: string | null; body: string }>(contents, [wanted]);
  for (const { name, header, key, body } of rows) {
    const one = found.get(name) ?? { header: header === null ? null : (JSON.parse(header) as Header), rows: [] };
    found.set(name, one);
    if (key !== null) one.rows.push([key, body]);
  }
  return found;
}

/** The bytes that the file would have. */
export function bytesOf({ header, rows }: StoredDocument): Buffer {
  if (header === null) return bytesOfText(rows[0]?.[1] ?? '');
  const parsed = rows.map(([key, body]) => [key, JSON.parse(body) as object] as const);
  return Buffer.from([...fileOf(header, parsed, header.top ?? 0)].join(''));
}

/** JSON as it is; what is not JSON (a key) is a JSON string. */
function bytesOfText(text: string): Buffer {
  return text.startsWith('"') ? Buffer.from(JSON.parse(text) as string, 'base64') : Buffer.from(text);
}
