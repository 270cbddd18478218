// Rows under keys, in memory and on the disk. The cost of a change depends on the change, not on the size of the file (Store 3).
//
// The file consists of checksummed lines and only grows: a header, then one line for each group of changes that was flushed together,
// - {"of":"cards","schemaVersion":2,"crc":"…"}
// - {"rows":[["entry 41",{"entryId":41,…}],["entry 7",null]],"top":41,"crc":"…"}
// where null drops a row and `top` is the highest id so far. One group is one line, so a power cut leaves all of it or none: a torn last
// line was never acknowledged. When most of the file is outdated, it is rewritten under a temporary name and renamed.
//
// Usage: `createRowFile`, then `load` (false: the file does not exist, then `create`), then `get`, `entries` and `update`. A caller that
// looks rows up by something other than their key builds that index in `onFlushed`. A backup takes `backupSource`, and `mayCompact` must be
// false while it reads.

import type { Change } from '../../../domain/change.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import { storageUnavailable } from '../flush-guard.ts';
import type { ForeignContent } from '../followed.ts';
import { changesOf, foreignRows } from './foreign-rows.ts';
import { LineFile } from './line-file.ts';
import { fileOf, headerOf, lineOf } from './row-lines.ts';
import { followOlder, type RowChange, readRowFile } from './row-reader.ts';
import type { NewestRows, RowFile, RowFileOptions } from './rows.ts';

export function createRowFile<Row extends object>(options: RowFileOptions<Row>): RowFile<Row> {
  return new JsonRowFile(options);
}

interface Waiting<Row> {
  readonly change: (newest: NewestRows<Row>) => readonly RowChange<Row>[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** With fewer outdated changes, rewriting the file is not worth it. */
const leastDead = 1_000;

/** A class, so that its methods are shared: each lock whose cards are in memory has one. */
class JsonRowFile<Row extends object> implements RowFile<Row> {
  readonly #options: RowFileOptions<Row>;
  readonly #rows = new Map<string, Row>();
  readonly #file: LineFile;
  #top = 0;
  #torn = 0;
  /** How many changes are in the file. */
  #written = 0;
  /** The file is not rewritten before it has this many changes, so that a failed attempt is not repeated with each change. */
  #compactFrom = 0;
  /** Outdated lines have secrets that nobody needs any more. */
  #hasSecrets = false;
  #isTidying = false;
  #isThere = false;
  #waiting: Waiting<Row>[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: RowFileOptions<Row>) {
    this.#options = options;
    this.#file = new LineFile(options.files, options.path);
  }

  get size(): number {
    return this.#rows.size;
  }
  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }
  entries(): IterableIterator<[string, Row]> {
    return this.#rows.entries();
  }
  top(): number {
    return this.#top;
  }

  load(): Promise<boolean> {
    const { path, files } = this.#options;
    files.tables?.follow(path, this);
    return files.tables === undefined ? this.#load() : files.tables.undisturbed(() => this.#load());
  }

  async #load(): Promise<boolean> {
    const { files, path, format, beforeUpgrade } = this.#options;
    const older = new Map<string, object>();
    const read = await readRowFile(files, path, format, (changes, top, isOlder) => {
      if (!isOlder) this.#apply(changes, top);
      else followOlder(older, changes);
      this.#top = Math.max(this.#top, top);
    });
    if (read === undefined) return false;
    this.#isThere = true;
    this.#file.found(read);
    this.#torn = read.torn;
    if (!read.isOlder) return true;
    for (const row of format.older?.upgrade(older.values()) ?? []) this.#apply([row], 0);
    if (beforeUpgrade === undefined) return true;
    await beforeUpgrade(path);
    await this.#rewrite(() => true);
    return true;
  }

  async create(rows: Iterable<readonly [key: string, row: Row]>): Promise<void> {
    for (const row of rows) this.#apply([row], 0);
    await this.#rewrite(() => true);
  }

  changed(content: ForeignContent): () => void {
    const changes = foreignRows(this.#options.path, this.#options.format, content);
    return () => {
      this.#isThere = true;
      this.#apply(changesOf(this.#rows, changes, content.isWhole), content.header?.top ?? 0);
    };
  }
  isThere(): boolean {
    return this.#isThere;
  }

  update(change: Waiting<Row>['change']): Promise<void> {
    const { tables } = this.#options.files;
    return tables === undefined ? this.#stored(change) : tables.within(() => this.#stored(change));
  }

  #stored(change: Waiting<Row>['change']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  backupSource(name: string): BackupSource {
    return this.#file.backupSource(name);
  }
  torn(): number {
    return this.#torn;
  }

  tidy(): Promise<void> {
    this.#isTidying = this.#hasSecrets;
    if (this.#isTidying) this.#writing ??= this.#writeAll();
    return this.idle();
  }
  idle(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  #idOf(row: Row | null): number {
    return (row && this.#options.format.idOf?.(row)) ?? 0;
  }

  #apply(changes: Iterable<RowChange<Row>>, top: number): void {
    const { onFlushed, onGroup, format } = this.#options;
    const group: Change<Row>[] = [];
    this.#top = Math.max(this.#top, top);
    for (const [key, row] of changes) {
      const before = this.#rows.get(key);
      this.#written += 1;
      // It came and went by one write, or was never there.
      if (before === undefined && row === null) continue;
      if (before !== undefined && format.dropsSecret?.(before, row)) this.#hasSecrets = true;
      if (row === null) this.#rows.delete(key);
      else this.#rows.set(key, row);
      this.#top = Math.max(this.#top, this.#idOf(row));
      onFlushed?.(key, row ?? undefined, before);
      if (onGroup !== undefined) group.push({ before, after: row ?? undefined });
    }
    onGroup?.(group);
  }

  async #writeAll(): Promise<void> {
    // Changes requested in the same tick go out together.
    await Promise.resolve();
    do {
      const group = this.#waiting;
      this.#waiting = [];
      if (group.length > 0) await this.#writeGroup(group);
      await this.#compact();
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
  }

  async #writeGroup(group: readonly Waiting<Row>[]): Promise<void> {
    const staged = new Map<string, Row | null>();
    const newest = { staged, get: (key: string) => (staged.has(key) ? (staged.get(key) ?? undefined) : this.#rows.get(key)) };
    const accepted: Waiting<Row>[] = [];
    for (const waiting of group) {
      try {
        for (const [key, row] of waiting.change(newest)) staged.set(key, row);
        accepted.push(waiting);
      } catch (error) {
        waiting.reject(error);
      }
    }
    try {
      const top = [...staged.values()].reduce((highest, row) => Math.max(highest, this.#idOf(row)), this.#top);
      if (staged.size > 0) await this.#append(staged, top);
    } catch (error) {
      for (const { reject } of accepted) reject(storageUnavailable(error));
      return;
    }
    this.#apply(staged, 0);
    for (const { resolve } of accepted) resolve();
  }

  #append(staged: ReadonlyMap<string, Row | null>, top: number): Promise<void> {
    const { files, path, format } = this.#options;
    if (files.tables !== undefined) return files.tables.writeRows(path, headerOf(format, top), staged, false);
    return this.#file.append(lineOf([...staged], top));
  }

  /** Rewrites the file when most of it is outdated, or somebody asks for it. Never rejects: the old file is still valid. */
  async #compact(): Promise<void> {
    const { mayCompact = () => true } = this.#options;
    const isWorn = this.#written >= Math.max(2 * this.#rows.size + leastDead, this.#compactFrom);
    if (!(isWorn || this.#isTidying) || !mayCompact() || this.#options.files.tables !== undefined) return;
    this.#isTidying = false;
    this.#compactFrom = 2 * this.#written;
    await this.#rewrite(mayCompact).catch(() => undefined);
  }

  async #rewrite(mayRename: () => boolean): Promise<void> {
    const { files, path, format } = this.#options;
    if (files.tables !== undefined) await files.tables.writeRows(path, headerOf(format, this.#top), this.#rows, true);
    else await this.#file.rewrite(fileOf(format, this.#rows, this.#top), mayRename);
    this.#isThere = true;
    this.#written = this.#rows.size;
    this.#compactFrom = 0;
    this.#hasSecrets = false;
  }
}
