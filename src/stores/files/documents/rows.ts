// What a file of rows is to the store that has it.
import type { Change } from '../../../domain/change.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import type { Followed } from '../followed.ts';
import type { RowChange, RowFormat } from './row-reader.ts';

/** The rows that a change builds on: the flushed ones, overlaid with those in the same group. */
export interface NewestRows<Row> {
  get(key: string): Row | undefined;
  readonly staged: ReadonlyMap<string, Row | null>;
}

export interface RowFileOptions<Row> {
  readonly files: FileLayer;
  readonly path: string;
  readonly format: RowFormat<Row>;
  /** Called for each changed row, with the previous one, after it has been flushed or read; one of the two is there. */
  readonly onFlushed?: (key: string, row: Row | undefined, before: Row | undefined) => void;
  /** Called once for all rows that were written or read together, after `onFlushed` of each. */
  readonly onGroup?: (changes: readonly Change<Row>[]) => void;
  /** Whether the file may be rewritten now; absent: always. */
  readonly mayCompact?: () => boolean;
  /**
   * Saves the file of an older schema, before `load` rewrites it; the load fails when this rejects. Absent: `load` changes nothing on the
   * disk, and `update` must not be called.
   */
  readonly beforeUpgrade?: ((path: string) => Promise<void>) | undefined;
}

export interface RowFile<Row> extends Followed {
  /**
   * Reads the rows; false when the file does not exist. Rejects with a sentence that names the file, and with a `DamagedDocumentError` when
   * it is damaged.
   */
  load(): Promise<boolean>;
  /** Whether the file exists: it was read, or created. */
  isThere(): boolean;
  /** Creates the file with these rows and replaces an existing one. `storage-unavailable`. */
  create(rows: Iterable<readonly [key: string, row: Row]>): Promise<void>;
  /** A row as it is on the disk. */
  get(key: string): Row | undefined;
  readonly size: number;
  /** The rows on the disk, in the order in which their keys were first put. */
  entries(): IterableIterator<[string, Row]>;
  /** The highest id that any row ever had; 0: none. */
  top(): number;
  /**
   * Applies `change` to the newest rows, in call order; resolves when all its row changes are flushed. Rejects with what `change` throws;
   * then nothing is written. `storage-unavailable`: nothing was changed, and a later change may succeed.
   */
  update(change: (newest: NewestRows<Row>) => readonly RowChange<Row>[]): Promise<void>;
  /** For a backup: the file as it is now, whatever is appended later. */
  backupSource(name: string): BackupSource;
  /** Bytes of a torn line that a power cut had left when the file was loaded. */
  torn(): number;
  /** Rewrites the file when it still has a secret that was dropped, unless somebody reads it now. Never rejects. */
  tidy(): Promise<void>;
  /** Resolves when no write is running or waiting. Never rejects. */
  idle(): Promise<void>;
}
