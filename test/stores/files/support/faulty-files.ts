// The real files, with operations that a test can let fail, and which can die like a process under kill -9.
import { type FileLayer, nodeFiles, type OpenFile, type OpenMode } from '../../../../src/stores/files/files.ts';

type Operation = 'open' | 'write' | 'commit' | 'sync' | 'truncate' | 'rename' | 'link' | 'unlink' | 'syncFolder';

export interface FaultyFiles extends FileLayer {
  /**
   * Called before each changing operation; if it returns the code of an error (`ENOSPC`), the operation fails. A failing write leaves half
   * its bytes. A `commit` is a write to a file that was opened as a journal.
   */
  fault: ((operation: Operation, path: string, n: number) => string | undefined) | undefined;
  /** Called before an existing file is opened, and before each read; if it returns the code of an error, that fails. */
  unreadable: ((path: string, step: 'open' | 'read') => string | undefined) | undefined;
  /** From now on every changing operation fails without a trace: the process is gone. */
  die(): void;
  /** Changing operations so far. */
  readonly operations: number;
}

export function faultyFiles(): FaultyFiles {
  const real = nodeFiles();
  let n = 0;
  let isDead = false;

  function check(operation: Operation, path: string): void {
    n += 1;
    const code = isDead ? 'EDEAD' : layer.fault?.(operation, path, n);
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected into ${operation}`), { code });
  }
  function checkReading(path: string, step: 'open' | 'read'): void {
    const code = layer.unreadable?.(path, step);
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected into read`), { code });
  }
  function wrap(file: OpenFile, path: string, mode: OpenMode): OpenFile {
    return {
      ...file,
      async read(into, position) {
        checkReading(path, 'read');
        return file.read(into, position);
      },
      async write(bytes, position) {
        try {
          check(mode === 'journal' ? 'commit' : 'write', path);
        } catch (error) {
          if (!isDead) await file.write(bytes.subarray(0, bytes.length >> 1), position);
          throw error;
        }
        await file.write(bytes, position);
      },
      async sync() {
        check('sync', path);
        await file.sync();
      },
      async truncate(length) {
        check('truncate', path);
        await file.truncate(length);
      },
    };
  }
  const layer: FaultyFiles = {
    ...real,
    fault: undefined,
    unreadable: undefined,
    die() {
      isDead = true;
    },
    get operations() {
      return n;
    },
    async open(path: string, mode: OpenMode) {
      if (mode === 'create' || mode === 'replace') check('open', path);
      const file = await real.open(path, mode);
      try {
        checkReading(path, 'open');
      } catch (error) {
        await file.close();
        throw error;
      }
      return wrap(file, path, mode);
    },
    async readFile(path) {
      checkReading(path, 'read');
      return real.readFile(path);
    },
    async rename(from, to) {
      check('rename', to);
      await real.rename(from, to);
    },
    async link(from, to) {
      check('link', to);
      await real.link(from, to);
    },
    async unlink(path) {
      check('unlink', path);
      await real.unlink(path);
    },
    async syncFolder(path) {
      check('syncFolder', path);
      await real.syncFolder(path);
    },
  };
  return layer;
}
