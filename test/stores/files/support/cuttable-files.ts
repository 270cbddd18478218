// A disk in memory that knows what a power cut would leave: the flushed bytes of each file, and the flushed names of each folder. Data that
// was not flushed may be there all the same, so a cut can leave two extremes.
import { dirname } from 'node:path';
import type { FileLayer, OpenFile, OpenMode } from '../../../../src/stores/files/files.ts';

interface File {
  bytes: Buffer;
  flushed: Buffer;
}
type Names = Map<string, File | 'folder'>;

/** `least`: only the names and bytes that were flushed. `names`: the latest names, but only the bytes that were flushed. */
export type Left = 'least' | 'names';

export interface CuttableFiles extends FileLayer {
  /** Called after each operation that has changed something. */
  onChange: (() => void) | undefined;
  /** What a cut would leave now, by path; the same bytes are the same object each time. */
  left(how: Left): ReadonlyMap<string, Buffer | 'folder'>;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** @param found what a cut has left */
export function cuttableFiles(found: ReadonlyMap<string, Buffer | 'folder'> = new Map()): CuttableFiles {
  const names: Names = new Map([...found].map(([path, bytes]) => [path, bytes === 'folder' ? bytes : { bytes, flushed: bytes }]));
  const flushedNames: Names = new Map(names);

  function fileAt(path: string): File {
    const file = names.get(path);
    if (file === undefined) throw failure('ENOENT', path);
    if (file === 'folder') throw failure('EISDIR', path);
    return file;
  }
  function below(folder: string, of: Names): [path: string, file: File | 'folder'][] {
    return [...of].filter(([path]) => dirname(path) === folder);
  }
  /** The file that is opened or made there in this mode. */
  function opened(path: string, mode: OpenMode): File {
    if (mode === 'create' && names.has(path)) throw failure('EEXIST', path);
    if (mode !== 'create' && (mode !== 'replace' || names.has(path))) return fileAt(path);
    if (names.get(dirname(path)) !== 'folder') throw failure('ENOENT', path);
    const file = { bytes: Buffer.alloc(0), flushed: Buffer.alloc(0) };
    names.set(path, file);
    return file;
  }
  function openFile(file: File, mode: OpenMode): OpenFile {
    const flush = (): void => {
      file.flushed = file.bytes;
    };
    return {
      async write(bytes, position) {
        const after = Buffer.alloc(Math.max(file.bytes.length, position + bytes.length));
        file.bytes.copy(after);
        after.set(bytes, position);
        file.bytes = after;
        if (mode === 'journal') flush();
        layer.onChange?.();
      },
      read: async (into, position) => file.bytes.copy(into, 0, position, position + into.length),
      async sync() {
        flush();
        layer.onChange?.();
      },
      async truncate(length) {
        file.bytes = file.bytes.subarray(0, length);
        layer.onChange?.();
      },
      size: async () => file.bytes.length,
      close: async () => undefined,
    };
  }
  const layer: CuttableFiles = {
    onChange: undefined,
    left(how) {
      const all = [...(how === 'least' ? flushedNames : names)];
      return new Map(all.map(([path, file]) => [path, file === 'folder' ? file : file.flushed]));
    },
    async open(path, mode) {
      const file = opened(path, mode);
      if (mode === 'replace') file.bytes = Buffer.alloc(0);
      if (mode === 'replace' || mode === 'create') layer.onChange?.();
      return openFile(file, mode);
    },
    readFile: async (path) => fileAt(path).bytes,
    async readdir(path) {
      if (names.get(path) !== 'folder') throw failure('ENOENT', path);
      return below(path, names).map(([one]) => one.slice(path.length + 1));
    },
    async makeFolder(path) {
      if (path !== dirname(path)) await layer.makeFolder(dirname(path));
      names.set(path, 'folder');
      layer.onChange?.();
    },
    async rename(from, to) {
      const file = fileAt(from);
      names.delete(from);
      names.set(to, file);
      layer.onChange?.();
    },
    async link(from, to) {
      const file = fileAt(from);
      if (names.has(to)) throw failure('EEXIST', to);
      names.set(to, file);
      layer.onChange?.();
    },
    async unlink(path) {
      fileAt(path);
      names.delete(path);
      layer.onChange?.();
    },
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
    freeFiles: async () => undefined,
    async syncFolder(path) {
      for (const [gone] of below(path, flushedNames)) if (!names.has(gone)) flushedNames.delete(gone);
      for (const [there, file] of below(path, names)) flushedNames.set(there, file);
      layer.onChange?.();
    },
  };
  return layer;
}
