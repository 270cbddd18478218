// One JSON document in memory and on the disk (Store 2). Changes that arrive during a write wait and go out together; readers see a value
// only after its flush, so they never see a write that failed.
import { basename } from 'node:path';
import { DomainError } from '../../../domain/errors.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import type { Followed, ForeignContent } from '../followed.ts';
import { contentOf, DamagedDocumentError, type DocumentFormat, envelopeOf } from './document-format.ts';
import { type DurableFile, openDurableFile, replaceFile } from './durable-file.ts';

export interface Document<T> extends Followed {
  /** Reads the document; false when the file does not exist. Rejects with a sentence that names the file. */
  load(): Promise<boolean>;
  /** Whether there is a value: it was read, or written. */
  isThere(): boolean;
  /** The newest value that is on the disk. */
  current(): T;
  /** Writes a value without looking at the old one. */
  put(value: T): Promise<T>;
  /**
   * Applies `change` to the newest queued value and resolves with the outcome once a write that contains it is flushed. Rejects with what
   * `change` throws. `storage-unavailable`: this change and all changes built on it are undone.
   */
  update(change: (newest: T) => T): Promise<T>;
  /** The bytes that are on the disk now, for a caller that copies them later. */
  flushedText(): () => Buffer;
  /** Resolves when no write is running or waiting. Never rejects. */
  idle(): Promise<void>;
}

interface Waiting<T> {
  readonly value: T;
  readonly resolve: (value: T) => void;
  readonly reject: (error: DomainError) => void;
}

/** Saves the version that an older program wrote of the document at `path`, before any of it can be overwritten. */
export type BeforeUpgrade = (path: string) => Promise<void>;

export interface DocumentOptions<T> {
  readonly files: FileLayer;
  readonly path: string;
  readonly format: DocumentFormat<T>;
  /** Called with the old value (undefined at first) and the new one after each change of `current`. */
  readonly onFlushed?: (value: T, old: T | undefined) => void;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}

export function createDocument<T extends object>(options: DocumentOptions<T>): Document<T> {
  return new JsonDocument(options);
}

/** A class, so that its methods are shared: a large gateway has ten thousand of these, and each should cost no more than its value. */
class JsonDocument<T extends object> implements Document<T> {
  readonly #options: DocumentOptions<T>;
  #flushed: T | undefined;
  #newest: T | undefined;
  /** Undefined until there is something to write. */
  #waiting: Waiting<T>[] | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: DocumentOptions<T>) {
    this.#options = options;
  }

  async load(): Promise<boolean> {
    const { files, path, beforeUpgrade } = this.#options;
    files.tables?.follow(path, this);
    let isOlder = false;
    const file = this.#open(() => {
      isOlder = true;
    });
    const value = await file.read().catch((error: unknown) => {
      throw codeOf(error) === '' || error instanceof DomainError
        ? error
        : new Error(`${path} cannot be read (${codeOf(error)})`, { cause: error });
    });
    if (value === null) return false;
    if (isOlder) await beforeUpgrade?.(path);
    this.#setLoaded(value);
    return true;
  }

  changed({ rows }: ForeignContent): () => void {
    const value = this.#decode(rows[0]?.[1] ?? '');
    return () => this.#setLoaded(value);
  }

  isThere(): boolean {
    return this.#flushed !== undefined;
  }

  current(): T {
    return this.#loaded(this.#flushed);
  }

  put(value: T): Promise<T> {
    return this.#enqueue(value);
  }

  async update(change: (newest: T) => T): Promise<T> {
    const before = this.#loaded(this.#newest);
    const after = change(before);
    return after === before && this.#writing === undefined ? after : this.#enqueue(after);
  }

  flushedText(): () => Buffer {
    const value = this.current();
    return () => Buffer.from(this.#encode(value));
  }

  idle(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  /** Opened anew for each use. */
  #open(onOlder?: () => void): DurableFile<T> {
    const { files, path } = this.#options;
    return openDurableFile<T>({ files, path, decode: (text) => this.#decode(text, onOlder), encode: (value) => this.#encode(value) });
  }

  #decode(text: string, onOlder?: () => void): T {
    const { path, format } = this.#options;
    const found = envelopeOf(path, text);
    if (found.schemaVersion < format.schemaVersion) onOlder?.();
    return contentOf(path, format, found);
  }

  #encode(value: T): string {
    const { format } = this.#options;
    return `${JSON.stringify({ schemaVersion: format.schemaVersion, ...(format.stored?.(value) ?? value) }, null, 1)}\n`;
  }

  #setLoaded(value: T): void {
    this.#newest = value;
    this.#setFlushed(value);
  }

  #setFlushed(value: T): void {
    const old = this.#flushed;
    this.#flushed = value;
    this.#options.onFlushed?.(value, old);
  }

  async #writeAll(): Promise<void> {
    for (let batch = this.#takeWaiting(); batch.length > 0; batch = this.#takeWaiting()) {
      const { value } = batch.at(-1) as Waiting<T>;
      try {
        await this.#open().write(value);
      } catch (error) {
        const refused = [...batch, ...this.#takeWaiting()];
        this.#newest = this.#flushed;
        for (const { reject } of refused) reject(storageUnavailable(error));
        continue;
      }
      this.#setFlushed(value);
      for (const done of batch) done.resolve(done.value);
    }
    this.#writing = undefined;
  }

  #takeWaiting(): Waiting<T>[] {
    const batch = this.#waiting ?? [];
    this.#waiting = undefined;
    return batch;
  }

  #enqueue(value: T): Promise<T> {
    const { tables } = this.#options.files;
    return tables === undefined ? this.#stored(value) : tables.within(() => this.#stored(value));
  }

  #stored(value: T): Promise<T> {
    this.#newest = value;
    return new Promise<T>((resolve, reject) => {
      this.#waiting ??= [];
      this.#waiting.push({ value, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  #loaded(value: T | undefined): T {
    if (value === undefined) throw new Error(`${this.#options.path} was used before it was loaded`);
    return value;
  }
}

/** Copies the old version to `<path>.schema-1` or the like, as the older program wrote it. `storage-unavailable`. */
export async function keepCopy(files: FileLayer, path: string): Promise<void> {
  const bytes = await files.readFile(path);
  // A file of rows says it in its first line.
  const { schemaVersion } = envelopeOf(path, bytes.toString('utf8', 0, path.endsWith('.jsonl') ? bytes.indexOf(0x0a) : bytes.length));
  await replaceFile(files, `${path}.schema-${schemaVersion}`, bytes).catch((error: unknown) => {
    throw storageUnavailable(error);
  });
}

/** Loads a document without which nothing starts: the error for a damaged one says what to do. */
export async function loadNeeded(document: Pick<Document<unknown>, 'load'>, path: string): Promise<boolean> {
  try {
    return await document.load();
  } catch (error) {
    if (!(error instanceof DamagedDocumentError)) throw error;
    throw new Error(`${error.message}; put ${basename(path)} back from a backup`, { cause: error });
  }
}

/** The error for a required document that is missing. */
export function missingDocument(path: string): Error {
  return new Error(
    `${path} is missing although other data is there: put ${basename(path)} back from a backup, or start with an empty data directory`,
  );
}

/** A `conflict` with this sentence. */
export function conflict(message: string): DomainError {
  return new DomainError('conflict', message);
}
