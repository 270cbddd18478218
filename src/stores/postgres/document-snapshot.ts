// Everything that the stores of documents load, as it was at one moment, decoded before they ask: other nodes may change it meanwhile.
import { formatOf } from '../files/data-directory.ts';
import type { RowFormat } from '../files/documents/row-reader.ts';
import type { DecodedRows } from '../files/files.ts';
import { nextTick } from '../files/records/next-turn.ts';
import type { FeedPlace } from './change-feed.ts';
import type { Database, Query } from './database.ts';
import { ofOneMoment } from './move-out.ts';
import { namedDocuments, type StoredDocument, storedUnder } from './stored-documents.ts';

export interface DocumentSnapshot {
  /** That of the newest change. */
  readonly place: FeedPlace;
  /** The number of the last change of each name. */
  readonly versions: ReadonlyMap<string, number>;
  /** What has a format: documents, and rows that could not be decoded by it. Cards have none: those of a lock are read when somebody asks. */
  readonly stored: Map<string, StoredDocument>;
  readonly decoded: Map<string, DecodedRows>;
}

const newest = `SELECT last, writer, (SELECT mark FROM change WHERE change_no = last) AS mark FROM head WHERE feed = 'change'`;
/** Of each name the schema in which it is. */
const schemas = `SELECT name, coalesce(header ->> 'schemaVersion', (SELECT body ->> 'schemaVersion' FROM document_row r WHERE r.name = d.name AND key = ''))::int
  AS "schemaVersion" FROM document d WHERE NOT starts_with(name, 'cards/')`;
/** What a first start makes. */
const needed = ['counters.json', 'accounts.jsonl'];
/** Rows that are decoded before other work may run. */
const rowsAtOnce = 100;

/** Rejects as `Database.transaction` does. */
export function readDocuments({ transaction }: Pick<Database, 'transaction'>): Promise<DocumentSnapshot> {
  return transaction(async (query) => {
    await query(`${ofOneMoment}; SET LOCAL idle_in_transaction_session_timeout = 0`);
    const [place] = await query<FeedPlace>(newest);
    const [versions, stored, decoded] = [new Map<string, number>(), new Map<string, StoredDocument>(), new Map<string, DecodedRows>()];
    for await (const names of namedDocuments(query)) {
      for (const { name, version } of names) versions.set(name, version);
      for await (const some of storedUnder(
        query,
        names.filter(({ name }) => formatOf(name) !== undefined),
      ))
        for (const [name, one] of some) {
          const format = formatOf(name);
          const rows = format !== undefined && 'of' in format ? await decodedRowsOf(one, format) : undefined;
          if (rows === undefined) stored.set(name, one);
          else decoded.set(name, rows);
        }
    }
    return { place: place as FeedPlace, versions, stored, decoded };
  });
}

/**
 * Whether the stores can load what is there without writing: a first start has made what it must, and nothing is of an older schema, which the
 * next leader rewrites. To be asked again and again: while something is in the way, that alone is read.
 */
export function createLoadCheck(query: Query): () => Promise<boolean> {
  /** What was missing or older at the last look: as long as it is, nothing else is read. */
  let obstacle: string | undefined;
  return async () => {
    if (obstacle !== undefined) {
      const [found] = await query<DocumentSchema>(`${schemas} AND name = $1`, [obstacle]);
      if (found === undefined ? needed.includes(obstacle) : isOlder(found)) return false;
    }
    const all = await query<DocumentSchema>(schemas);
    obstacle = needed.find((name) => !all.some((one) => one.name === name)) ?? all.find(isOlder)?.name;
    return obstacle === undefined;
  };
}

interface DocumentSchema {
  readonly name: string;
  /** null: it has no schema. */
  readonly schemaVersion: number | null;
}

function isOlder({ name, schemaVersion }: DocumentSchema): boolean {
  const format = formatOf(name);
  // What has a name of latchd and no format of today is older still.
  return format === undefined ? name.endsWith('.json') : schemaVersion !== null && schemaVersion < format.schemaVersion;
}

/** The rows, decoded; undefined: they are of an older schema, or damaged. */
export async function decodedRowsOf({ header, rows }: StoredDocument, format: RowFormat<object>): Promise<DecodedRows | undefined> {
  if (header?.of !== format.of || header.schemaVersion !== format.schemaVersion) return undefined;
  const decoded: (readonly [string, object])[] = [];
  for (const [key, body] of rows) {
    const row = format.schema.safeParse(JSON.parse(body));
    if (!row.success) return undefined;
    decoded.push([key, row.data]);
    if (decoded.length % rowsAtOnce === 0) await nextTick();
  }
  return { rows: decoded, top: header.top ?? 0 };
}
