// The files of a backup, by name; each is opened only when it is read. A directory that no process uses gives all its files as they are. A
// running store gives a snapshot, and beside it the few files that need no common instant (keys, certificates).
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
  /** Undefined when the file has been deleted in the meantime. */
  open(): Promise<OpenContent | undefined>;
}

const nothingToClose = async (): Promise<void> => undefined;

/** A file whose content is made when it is read. */
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

/** The first `bytes` of a file that another part of the program has open. */
export function sourceOfPart(name: string, bytes: number, read: OpenContent['read']): BackupSource {
  return { name, open: async () => ({ bytes, read, close: nothingToClose }) };
}

/** A whole file by its path; of a file that only grows, its finished lines. */
export function sourceOfPath(files: FileLayer, directory: string, name: string): BackupSource {
  return {
    name,
    async open() {
      const path = `${directory}/${name}`;
      // If the file is replaced while it is read in pieces, the result mixes two versions; one single read returns one of them.
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

/** The position behind the last line that has its newline. */
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
