// What a backup takes: files by name, each opened when its turn comes. In a directory that no process uses, all of them as they are;
// of a running store, what it gives of one instant, and beside that the few files that belong to nobody's instant (keys, certificates).
import { readIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer, type OpenFile } from '../files.ts';

export interface OpenContent {
  readonly bytes: number;
  /** As OpenFile.read. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export interface BackupSource {
  /** Relative to the data directory. */
  readonly name: string;
  /** Undefined when it is gone meanwhile. */
  open(): Promise<OpenContent | undefined>;
}

const nothingToClose = async (): Promise<void> => undefined;

/** A file that is made when its turn comes. */
export function sourceOfBytes(name: string, make: () => Buffer): BackupSource {
  return {
    name,
    async open() {
      const all = make();
      return {
        bytes: all.length,
        read: async (into, position) => all.copy(into, 0, position, position + into.length),
        close: nothingToClose,
      };
    },
  };
}

/** The first `bytes` of a file that somebody else keeps open. */
export function sourceOfPart(name: string, bytes: number, read: OpenContent['read']): BackupSource {
  return { name, open: async () => ({ bytes, read, close: nothingToClose }) };
}

/** A file at its path, whole; of one that only grows, its finished lines. */
export function sourceOfPath(files: FileLayer, directory: string, name: string): BackupSource {
  return {
    name,
    async open() {
      const path = `${directory}/${name}`;
      // Replaced whole while it is read, it would be two halves; read at once, it is one of the two.
      if (!name.endsWith('.jsonl')) {
        const all = await readIfThere(files, path);
        return all && sourceOfBytes(name, () => all).open();
      }
      const file = await files.open(path, 'read').catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      });
      if (!file) return undefined;
      return { bytes: await finishedLines(file), read: file.read, close: file.close };
    },
  };
}

/** Where the last line that has its newline ends. */
async function finishedLines(file: OpenFile): Promise<number> {
  const piece = Buffer.alloc(65_536);
  for (let end = await file.size(); end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const count = await file.read(piece.subarray(0, end - start), start);
    const newline = piece.subarray(0, count).lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
