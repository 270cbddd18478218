// The documents and rows of the database as a file layer: what is a file in a data directory has the same name here, and the same bytes. So
// every store of documents is the same one on both, and a backup of either is one of the other.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import { fileOf } from '../files/documents/row-lines.ts';
import type { FileLayer, OpenFile } from '../files/files.ts';
import { OutcomeUnknownError } from './connection.ts';
import { type Database, FencedError } from './database.ts';

export interface DocumentTablesLayer extends FileLayer {
  /** Learns what there is; call it first. */
  load(): Promise<void>;
}

/** Where the documents seem to lie: paths below it are names. */
export const documentRoot = 'database';

/** How long a caller waits for a change, and how long until a change whose outcome is unknown is sent again. */
const [patienceMs, repeatMs] = [10_000, 250];

/** @param onFenced another node writes to the database: this process must end */
export function createDocumentTables(options: {
  readonly database: Pick<Database, 'query' | 'openWriter' | 'isAway' | 'isStopped'>;
  readonly clock: Clock;
  readonly onFenced: (error: Error) => void;
  /** Called with each `storage-unavailable` that a caller gets. */
  readonly onFailed: (error: Error) => void;
}): DocumentTablesLayer {
  const { database, clock, onFenced, onFailed } = options;
  const { write } = database.openWriter();
  /** The number of the last change of each document; it is the version that the next write compares. */
  const versions = new Map<string, number>();
  /** The texts of documents, until they are read for the first time: one statement has them all. */
  const texts = new Map<string, string>();

  const nameOf = (path: string): string => path.slice(documentRoot.length + 1);

  /** The number that the statement gives. While its outcome is unknown it is sent again: each of them holds for one version alone. */
  async function changed(sql: string, valuesOf: (isRepeated: boolean) => readonly unknown[]): Promise<number> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const [outcome] = await write<{ number: number }>(sql, valuesOf(isRepeated));
        return (outcome as { number: number }).number;
      } catch (error) {
        if (error instanceof FencedError) {
          onFenced(error);
          throw new DomainError('storage-unavailable', 'Another node has taken over; nothing was changed', { cause: error });
        }
        if (!(error instanceof OutcomeUnknownError) && !(isRepeated && !database.isStopped())) throw error;
        await new Promise<void>((resolve) => clock.timer(repeatMs, resolve));
      }
    }
  }
  async function writeDocument(path: string, header: object | null, rows: Iterable<readonly [string, string | null]>, isWhole: boolean) {
    const name = nameOf(path);
    const [keys, bodies]: [string[], (string | null)[]] = [[], []];
    for (const [key, body] of rows) {
      keys.push(key);
      bodies.push(body);
    }
    const version = versions.get(name) ?? 0;
    const values = [isWhole, header === null ? null : JSON.stringify(header), keys, bodies];
    const sql = 'SELECT write_document($1, $2, $3, $4, $5, $6, $7) AS number';
    texts.delete(name);
    versions.set(name, await changed(sql, (isRepeated) => [name, version, isRepeated, ...values]));
  }
  async function bytesOf(path: string): Promise<Buffer> {
    const name = nameOf(path);
    if (!versions.has(name)) throw missing(path);
    const text = texts.get(name);
    texts.delete(name);
    if (text !== undefined) return bytesOfText(text);
    const found = await database.query<{ header: Header | null; change_no: number; key: string | null; body: string }>(
      'SELECT header, change_no, key, body::text FROM document LEFT JOIN document_row USING (name) WHERE name = $1 ORDER BY place',
      [name],
    );
    const [first] = found;
    if (first === undefined) throw missing(path);
    if (first.header === null) return bytesOfText(first.body);
    const rows = found.flatMap(({ key, body }) => (key === null ? [] : [[key, JSON.parse(body) as object] as const]));
    return Buffer.from([...fileOf(first.header, rows, first.header.top ?? 0)].join(''));
  }

  return {
    async load() {
      for (const { name, change_no } of await database.query<{ name: string; change_no: number }>('SELECT name, change_no FROM document'))
        versions.set(name, change_no);
      const documents = 'SELECT name, body::text FROM document JOIN document_row USING (name) WHERE header IS NULL';
      for (const { name, body } of await database.query<{ name: string; body: string }>(documents)) texts.set(name, body);
    },
    readFile: bytesOf,
    open: async (path) => openBytes(await bytesOf(path)),
    async readdir(path) {
      const folder = path === documentRoot ? '' : `${nameOf(path)}/`;
      return [...versions.keys()].flatMap((name) => {
        const rest = name.startsWith(folder) ? name.slice(folder.length) : '/';
        return rest.includes('/') ? [] : [rest];
      });
    },
    async rename(from, to) {
      const [before, after] = [nameOf(from), nameOf(to)];
      if (!versions.has(before)) throw missing(from);
      const number = await changed('SELECT rename_document($1, $2) AS number', () => [before, after]);
      texts.delete(before);
      versions.delete(before);
      versions.set(after, number);
    },
    async unlink(path) {
      const name = nameOf(path);
      if (!versions.has(name)) throw missing(path);
      await changed('SELECT drop_document($1) AS number', () => [name]);
      texts.delete(name);
      versions.delete(name);
    },
    makeFolder: async () => undefined,
    syncFolder: async () => undefined,
    async link() {
      throw new Error('a document of the database has one name');
    },
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
    freeFiles: async () => undefined,
    tables: {
      replace: (path, bytes) => writeDocument(path, null, [['', textOf(path, bytes)]], true),
      writeRows: (path, header, rows, isWhole) => writeDocument(path, header, asText(rows), isWhole),
      async within(work) {
        let cancelTimer = (): void => undefined;
        try {
          if (database.isAway()) throw new DomainError('storage-unavailable', 'The database does not answer; nothing was changed');
          const late = new Promise<never>((_, reject) => {
            const sentence = 'The database does not answer; nobody knows whether the change will be made: look when it is back';
            cancelTimer = clock.timer(patienceMs, () => reject(new DomainError('storage-unavailable', sentence)));
          });
          return await Promise.race([work(), late]);
        } catch (error) {
          if (error instanceof DomainError && error.code === 'storage-unavailable') onFailed(error);
          throw error;
        } finally {
          cancelTimer();
        }
      },
    },
  };
}

interface Header {
  readonly of: string;
  readonly schemaVersion: number;
  readonly top?: number;
}

/** JSON as it is; what is not JSON (a key) as a JSON string. */
function textOf(path: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  return path.endsWith('.json') ? buffer.toString('utf8') : JSON.stringify(buffer.toString('base64'));
}

function bytesOfText(text: string): Buffer {
  return text.startsWith('"') ? Buffer.from(JSON.parse(text) as string, 'base64') : Buffer.from(text);
}

function* asText(rows: Iterable<readonly [string, object | null]>): Generator<readonly [string, string | null]> {
  for (const [key, row] of rows) yield [key, row === null ? null : JSON.stringify(row)];
}

function missing(path: string): Error {
  return Object.assign(new Error(`${path} is missing`), { code: 'ENOENT' });
}

/** Bytes as a file that is read. */
function openBytes(bytes: Buffer): OpenFile {
  const refuse = async (): Promise<never> => {
    throw new Error('a document of the database is written as a whole');
  };
  return {
    ...{ write: refuse, truncate: refuse, sync: refuse },
    read: async (into, position) => bytes.copy(into, 0, position, position + into.length),
    size: async () => bytes.length,
    close: async () => undefined,
  };
}
