// A file of lines that is appended to, each time with a flush, and rewritten now and then. It is opened for each append: there may be one
// for each lock, and the file layer decides which stay open (open-journals.ts).
import { dirname } from 'node:path';
import type { BackupSource } from '../backup/backup-sources.ts';
import { codeOf, type FileLayer, type OpenFile } from '../files.ts';
import { isFull, storageUnavailable } from '../flush-guard.ts';
import { nextTick } from '../records/next-turn.ts';

export class LineFile {
  readonly #files: FileLayer;
  readonly #path: string;
  /** Position of the next line. */
  #length = 0;
  /** Bytes of a line that was never acknowledged may be behind `#length`. */
  #ragged = false;
  #broken: unknown;
  /** A running rename: resolves with the new length, or with the old one when the rename fails. */
  #renaming: Promise<number> | undefined;

  constructor(files: FileLayer, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** The file has `length` valid bytes, and `torn` invalid bytes behind them. */
  found({ length, torn }: { readonly length: number; readonly torn: number }): void {
    this.#length = length;
    this.#ragged = torn > 0;
  }

  /**
   * Resolves when the text is on the disk; when it rejects, none of it is in the file, and a later append may succeed. One call at a time.
   */
  async append(text: string): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = Buffer.from(text);
    const file = await this.#files.open(this.#path, 'journal');
    try {
      if (this.#ragged) await this.#cut(file);
      this.#ragged = true;
      await file.write(bytes, this.#length);
      this.#ragged = false;
      this.#length += bytes.length;
    } catch (error) {
      // The file is not written again: the kernel may have dropped these pages, and the next flush would report success (Fault T4).
      if (!isFull(codeOf(error))) this.#broken = error;
      // When this fails too, the next append tries it first.
      else await this.#cut(file).catch(() => undefined);
      throw error;
    } finally {
      await file.close().catch(() => undefined);
    }
  }

  /**
   * Replaces the whole content with these texts; the old content is valid until the new one is on the disk. Calls `mayRename` last, right
   * before the rename. `storage-unavailable`.
   */
  async rewrite(texts: Iterable<string>, mayRename: () => boolean): Promise<void> {
    const files = this.#files;
    const temporary = `${this.#path}.tmp`;
    let length = 0;
    try {
      const file = await files.open(temporary, 'replace');
      try {
        for (const text of texts) {
          const bytes = Buffer.from(text);
          await file.write(bytes, length);
          length += bytes.length;
          await nextTick();
        }
        await file.sync();
      } finally {
        await file.close();
      }
      if (!mayRename()) throw new Error('somebody reads what is there');
      await this.#rename(temporary, length);
      await files.syncFolder(dirname(this.#path));
    } catch (error) {
      await files.unlink(temporary).catch(() => undefined);
      throw storageUnavailable(error);
    }
  }

  async #rename(temporary: string, length: number): Promise<void> {
    const renamed = this.#files.rename(temporary, this.#path);
    const before = this.#length;
    this.#renaming = renamed.then(
      () => length,
      () => before,
    );
    try {
      await renamed;
      this.found({ length, torn: 0 });
    } finally {
      this.#renaming = undefined;
    }
  }

  /** The file as it is now, whatever is appended later. The caller must prevent a rewrite before the content has been read. */
  backupSource(name: string): BackupSource {
    const length = this.#renaming ?? this.#length;
    return {
      name,
      open: async () => {
        const bytes = await length;
        const { read, close } = await this.#files.open(this.#path, 'read');
        return { bytes, read, close };
      },
    };
  }

  async #cut(file: OpenFile): Promise<void> {
    await file.truncate(this.#length);
    this.#ragged = false;
  }
}
