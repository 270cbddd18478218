// What a node has read and decoded of the documents before it needs them. One that waits follows what the serving node changes; when it has the
// lease, it compares the stamps of all documents, and whatever is another one is read again.
import { formatOf } from '../files/data-directory.ts';
import { contentOf, type DocumentFormat, envelopeOf } from '../files/documents/document-format.ts';
import type { RowFormat } from '../files/documents/row-reader.ts';
import type { DecodedRows } from '../files/files.ts';
import { nextTick } from '../files/records/next-turn.ts';
import type { Database } from './database.ts';
import { type NamedDocument, namesChangedAfter, type StoredDocument, storedUnder } from './stored-documents.ts';

interface Ahead {
  readonly stamp: string;
  readonly format: object;
  /** Undefined: it is of an older schema, or damaged; whoever needs it reads the bytes. */
  readonly decoded: object | undefined;
}

export interface DocumentsAhead {
  /** Reads what was changed since the last call; `isOver` ends it between two answers. Rejects when the database does not answer. */
  look(isOver: () => boolean): Promise<void>;
  /**
   * To be called once nobody else may write: resolves with all names, and from then on only what is under them now is given. Documents are read,
   * sets of rows only if they were before. Rejects when the database that answers is one to which this process does not write.
   */
  compare(): Promise<readonly NamedDocument[]>;
  /** What was decoded by this format; it is given once. */
  take(name: string, format: object): object | undefined;
  /** This process changes it. */
  forget(name: string): void;
}

const lastChange = "SELECT last FROM head WHERE feed = 'change'";
/** Rows that are decoded before other work may run. */
const rowsAtOnce = 100;

export function createDocumentsAhead({ query, writer }: Pick<Database, 'query' | 'writer'>): DocumentsAhead {
  const ahead = new Map<string, Ahead>();
  let seen = 0;

  async function read(wanted: readonly NamedDocument[], onRead: (name: string, one: Ahead) => void, isOver: () => boolean): Promise<void> {
    for await (const some of storedUnder(query, wanted)) {
      if (isOver()) return;
      for (const [name, stored] of some) onRead(name, await aheadOf(name, stored));
    }
  }
  /** Cards have no format: who needs those of a lock reads them. */
  const isNews = ({ name, stamp }: NamedDocument): boolean => formatOf(name) !== undefined && ahead.get(name)?.stamp !== stamp;

  return {
    async look(isOver) {
      const [head] = await query<{ last: number }>(lastChange);
      const last = head?.last ?? 0;
      if (last === seen) return;
      // An older copy of the database may have taken its place.
      for await (const some of namesChangedAfter(query, last < seen ? 0 : seen)) {
        const wanted = some.filter(isNews);
        await read(wanted, (name, one) => ahead.set(name, one), isOver);
        if (isOver()) return;
      }
      seen = last;
    },
    async compare() {
      const all: NamedDocument[] = [];
      for await (const some of namesChangedAfter(query, 0)) all.push(...some);
      if (all.some((one) => one.writer !== writer))
        throw new Error('the database that answers is not the one to which this node writes: another one may have taken its place');
      const stamps = new Map(all.map(({ name, stamp }) => [name, stamp]));
      for (const [name, { stamp }] of ahead) if (stamps.get(name) !== stamp) ahead.delete(name);
      const wanted = all.filter((one) => one.isDocument && isNews(one));
      const keep = (name: string, one: Ahead): void => {
        if (one.stamp !== stamps.get(name)) throw new Error(`${name} was changed by somebody else`);
        ahead.set(name, one);
      };
      await read(wanted, keep, () => false);
      return all;
    },
    take(name, format) {
      const one = ahead.get(name);
      if (one?.format !== format) return undefined;
      ahead.delete(name);
      return one.decoded;
    },
    forget: (name) => void ahead.delete(name),
  };
}

async function aheadOf(name: string, stored: StoredDocument): Promise<Ahead> {
  const format = formatOf(name) as NonNullable<ReturnType<typeof formatOf>>;
  return { stamp: stored.stamp, format, decoded: 'of' in format ? await decodedRowsOf(stored, format) : documentOf(name, stored, format) };
}

function documentOf(name: string, { header, rows }: StoredDocument, format: DocumentFormat<object>): object | undefined {
  try {
    const envelope = envelopeOf(name, rows[0]?.[1] ?? '');
    return header === null && envelope.schemaVersion === format.schemaVersion ? contentOf(name, format, envelope) : undefined;
  } catch {
    return undefined;
  }
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
