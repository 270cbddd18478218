// The documents and rows of the database as a file layer: what is a file in a data directory has the same name here, and the same bytes. So
// every store of documents is the same one on both, and a backup of either is one of the other.
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { RowFormat } from '../files/documents/row-reader.ts';
import type { FileLayer, OpenFile } from '../files/files.ts';
import { createChangeFeed, type FeedPlace } from './change-feed.ts';
import { OutcomeUnknownError } from './connection.ts';
import { type Database, FencedError } from './database.ts';
import { createLoadCheck, type DocumentSnapshot, decodedRowsOf, readDocuments } from './document-snapshot.ts';
import { createGroupWrites } from './group-writes.ts';
import { bytesOf, type StoredDocument, storedOf } from './stored-documents.ts';

export interface DocumentTablesLayer extends FileLayer {
  /** Whether `load` may be called while another node writes. */
  canBeLoaded(): Promise<boolean>;
  /** Reads what there is at one moment, and runs `stores`, to which it is given. To be called once, before anything else. */
  load(stores: () => Promise<void>): Promise<void>;
  /** Those who follow hear of everything that was changed since. Rejects as `ChangeFeed.look` does. */
  look(): Promise<void>;
  /** From now on this process alone writes: what is read next must be of a database that says so. */
  serve(): void;
  /** After the last look. */
  readonly endFollowing: () => void;
  /** See ChangeFeed. */
  readonly lag: () => number;
  readonly takenIn: () => number;
  /** The number of the last change that this process has made or, before it served, has taken in. */
  newest(): number;
}

/** Where the documents seem to lie: paths below it are names. */
export const documentRoot = 'database';

/** A document of which these rows are put or dropped; `isWhole`: they replace all. */
interface DocumentWrite {
  readonly name: string;
  readonly isWhole: boolean;
  readonly header: string | null;
  readonly keys: readonly string[];
  readonly bodies: readonly (string | null)[];
  failure?: unknown;
}

const documentsAtOnce = 100;
const writeDocuments = `SELECT write_document(d.name, d.version, $1, d."isWhole", d.header, d.keys, d.bodies) AS number
  FROM json_to_recordset($2::json) AS d(name text, version bigint, "isWhole" bool, header text, keys text[], bodies text[])`;

/** How long a caller waits for a change, and how long until a change whose outcome is unknown is sent again. */
const [patienceMs, repeatMs] = [10_000, 250];

const filesWithRow = `SELECT DISTINCT name FROM document_row
  WHERE name = ANY ($1) AND starts_with(key, $2) AND (body ->> $3)::bigint < $4`;
const highestId = "SELECT coalesce(max(split_part(key, ' ', 2)::bigint), 0) AS id FROM document_row WHERE starts_with(name, $1)";

/** @param onFenced another node writes to the database: this process must end */
export function createDocumentTables(options: {
  readonly database: Pick<Database, 'query' | 'transaction' | 'openWriter' | 'writer' | 'isAway' | 'isStopped'>;
  readonly clock: Clock;
  readonly onFenced: (error: Error) => void;
  /** Called with each `storage-unavailable` that a caller gets. */
  readonly onFailed: (error: Error) => void;
}): DocumentTablesLayer {
  const { database, clock, onFenced, onFailed } = options;
  const { write } = database.openWriter();
  /** The number of the last change of each document; it is the version that the next write compares. */
  const versions = new Map<string, number>();
  const feed = createChangeFeed({ query: database.query, versions });
  /** While the stores load. */
  let snapshot: Pick<DocumentSnapshot, 'stored' | 'decoded'> | undefined;
  let isServing = false;
  let newest = 0;

  const nameOf = (path: string): string => path.slice(documentRoot.length + 1);

  /** The numbers that the statement gives. While its outcome is unknown it is sent again: each of them holds for one version alone. */
  async function changed(sql: string, valuesOf: (isRepeated: boolean) => readonly unknown[]): Promise<readonly number[]> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const numbers = (await write<{ number: number }>(sql, valuesOf(isRepeated))).map(({ number }) => number);
        newest = Math.max(newest, ...numbers);
        return numbers;
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
  /** Documents that are written while another one is under way go out together, in one commit; what the server refuses of them, alone. */
  async function writeAll(some: readonly DocumentWrite[]): Promise<void> {
    const versioned = some.map((one) => ({ ...one, version: versions.get(one.name) ?? 0 }));
    try {
      const numbers = await changed(writeDocuments, (isRepeated) => [isRepeated, JSON.stringify(versioned)]);
      some.forEach(({ name }, n) => void versions.set(name, numbers[n] as number));
    } catch (error) {
      if (some.length === 1 || error instanceof DomainError) throw error;
      for (const one of some)
        await writeAll([one]).catch((reason: unknown) => {
          one.failure = reason;
        });
    }
  }
  const writes = createGroupWrites(documentsAtOnce, writeAll);
  function requireServing(path: string): void {
    if (isServing) return;
    if (snapshot !== undefined) throw new Error(`${path} is damaged or missing, and cannot be written while another node serves`);
    throw new DomainError('storage-unavailable', 'This node does not serve; nothing was changed');
  }
  /** Another one may have taken the place of the database. */
  function requireOwn({ writer }: FeedPlace): void {
    if (isServing && writer !== database.writer)
      throw new Error('the database that answers is not the one to which this node writes: another one may have taken its place');
  }
  async function writeDocument(path: string, header: object | null, rows: Iterable<readonly [string, string | null]>, isWhole: boolean) {
    requireServing(path);
    const name = nameOf(path);
    const [keys, bodies]: [string[], (string | null)[]] = [[], []];
    for (const [key, body] of rows) {
      keys.push(key);
      bodies.push(body);
    }
    const one: DocumentWrite = { name, isWhole, header: header === null ? null : JSON.stringify(header), keys, bodies };
    await writes.add(one);
    if (one.failure !== undefined) throw one.failure;
  }
  /** Undefined: there is nothing. */
  async function storedAt(path: string): Promise<StoredDocument | undefined> {
    const name = nameOf(path);
    if (!versions.has(name)) return undefined;
    return snapshot?.stored.get(name) ?? (await storedOf(database.query, [name])).get(name);
  }
  async function readFile(path: string): Promise<Buffer> {
    const stored = await storedAt(path);
    if (stored === undefined) throw missing(path);
    return bytesOf(stored);
  }

  return {
    canBeLoaded: createLoadCheck(database.query),
    async load(stores) {
      const read = await readDocuments(database);
      requireOwn(read.place);
      feed.readFrom(read.place);
      for (const [name, version] of read.versions) versions.set(name, version);
      snapshot = read;
      await stores();
      snapshot = undefined;
    },
    async look() {
      requireOwn(await feed.look());
    },
    serve() {
      isServing = true;
    },
    endFollowing: feed.end,
    lag: feed.lag,
    takenIn: feed.takenIn,
    newest: () => Math.max(newest, feed.takenIn()),
    readFile,
    open: async (path) => openBytes(await readFile(path)),
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
      requireServing(from);
      const [number = 0] = await changed('SELECT rename_document($1, $2) AS number', () => [before, after]);
      versions.delete(before);
      versions.set(after, number);
    },
    async unlink(path) {
      const name = nameOf(path);
      if (!versions.has(name)) throw missing(path);
      requireServing(path);
      await changed('SELECT drop_document($1) AS number', () => [name]);
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
      async rows(path, format) {
        const known = snapshot?.decoded.get(nameOf(path));
        if (known !== undefined) return known;
        const stored = await storedAt(path);
        return stored && decodedRowsOf(stored, format as RowFormat<object>);
      },
      replace: (path, bytes) => writeDocument(path, null, [['', textOf(path, bytes)]], true),
      follow: (path, followed) => feed.follow(nameOf(path), followed),
      followFolder: (folder, followed) => feed.followFolder(nameOf(folder), followed),
      undisturbed: feed.undisturbed,
      async filesWithRow(paths, { key, member, below }) {
        const found = await database.query<{ name: string }>(filesWithRow, [paths.map(nameOf), key, member, below]);
        return found.map(({ name }) => `${documentRoot}/${name}`);
      },
      async highestId(folder) {
        const [found] = await database.query<{ id: number }>(highestId, [`${nameOf(folder)}/`]);
        return found?.id ?? 0;
      },
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

/** JSON as it is; what is not JSON (a key) as a JSON string. */
function textOf(path: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  return path.endsWith('.json') ? buffer.toString('utf8') : JSON.stringify(buffer.toString('base64'));
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
