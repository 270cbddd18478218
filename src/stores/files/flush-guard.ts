// The one rule about failed flushes (Fault T4): after the first, the kernel may have dropped what it could not write,
// and a second flush would answer ok. So nothing is written, named or acknowledged any more, and the process must end.
import { DomainError } from '../../domain/errors.ts';
import { codeOf, type FileLayer, type OpenFile, type OpenMode } from './files.ts';

/** What the caller of a write is told; the system's own error is the `cause`. A DomainError passes as it is. */
export function storageUnavailable(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  return new DomainError('storage-unavailable', `${whatIsWrong(codeOf(cause))}; nothing was changed`, { cause });
}

/** What the caller of a change is told of which a part was done; `outcome` says which, and what becomes of the rest. */
export function partlyDone(cause: unknown, outcome: string): DomainError {
  const system = cause instanceof DomainError ? cause.cause : cause;
  return new DomainError('storage-unavailable', `${whatIsWrong(codeOf(system))}; ${outcome}`, { cause });
}

/** What is told of a file of records that is there and cannot be used. */
export function unreadable(file: string, cause: unknown): DomainError {
  return new DomainError('storage-unavailable', `The records in ${file} cannot be read. ${whatIsWrong(codeOf(cause))}`, { cause });
}

/** For whoever may go to the machine, and for the one who can only call them. */
function whatIsWrong(code: string): string {
  if (isFull(code)) return `The disk of the gateway is full (${code}): make room on it, no restart is needed`;
  if (code === 'EROFS') return 'The disk of the gateway is mounted read-only (EROFS): look at the kernel log, it may be failing';
  if (code === 'EACCES' || code === 'EPERM')
    return `The gateway may not write in its data directory (${code}): give it back to the user that latchd runs as`;
  if (code === '') return 'The gateway cannot keep anything at the moment: its log says why';
  return `The disk of the gateway does not work (${code}): look at the kernel log and at the disk`;
}

/** The disk has no room; whatever was to be flushed was not taken, and there may be room later. */
export function isFull(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export interface GuardedFiles extends FileLayer {
  /** The flush error after which nothing is written any more. */
  broken(): Error | undefined;
  /** Refuses every later change: the directory may belong to another process from now on. */
  close(): void;
}

/** What is there already, or is not, is for whoever asked to judge; everything else means that the disk takes no changes. */
const harmless = ['ENOENT', 'EEXIST'];

/**
 * The same files, where the first failed flush calls `onFatal` once and refuses every later change.
 * A full disk is not fatal where its bytes are thrown away whole: a file that has no name yet, a group of lines that is cut off again.
 * `onFailed` is told of every change that the disk has refused, as its caller will be.
 */
export function guardFlushes(files: FileLayer, onFatal: (error: Error) => void, onFailed: (error: Error) => void): GuardedFiles {
  let broken: Error | undefined;
  let isClosed = false;

  function breakFor(error: unknown): void {
    if (broken) return;
    const what = codeOf(error) || String(error);
    broken = new Error(
      `a flush to the data directory failed (${what}): look at the kernel log and at the disk; after a restart everything that was acknowledged is there`,
      { cause: error },
    );
    onFatal(broken);
  }
  async function flush(action: () => Promise<void>, isFatal: (error: unknown) => boolean): Promise<void> {
    refuseWhenBroken();
    try {
      await action();
    } catch (error) {
      onFailed(storageUnavailable(error));
      if (isFatal(error)) breakFor(error);
      throw error;
    }
    refuseWhenBroken();
  }
  function refuseWhenBroken(): void {
    if (broken) throw storageUnavailable(broken);
    if (isClosed) throw storageUnavailable(new Error('the store has stopped'));
  }
  function guarded<A extends unknown[], R>(action: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      refuseWhenBroken();
      return telling(() => action(...args));
    };
  }
  async function telling<R>(action: () => Promise<R>): Promise<R> {
    try {
      return await action();
    } catch (error) {
      if (!harmless.includes(codeOf(error))) onFailed(storageUnavailable(error));
      throw error;
    }
  }
  const always = (): boolean => true;
  const unlessFull = (error: unknown): boolean => !isFull(codeOf(error));

  const guardFile = (file: OpenFile, mode: OpenMode): OpenFile => ({
    ...file,
    write: mode === 'journal' ? (bytes, position) => flush(() => file.write(bytes, position), unlessFull) : guarded(file.write),
    truncate: guarded(file.truncate),
    sync: () => flush(file.sync, unlessFull),
  });

  return {
    ...files,
    broken: () => broken,
    close() {
      isClosed = true;
    },
    open: async (path, mode) => {
      if (mode === 'read') return guardFile(await files.open(path, mode), mode);
      refuseWhenBroken();
      return guardFile(await telling(() => files.open(path, mode)), mode);
    },
    rename: guarded(files.rename),
    link: guarded(files.link),
    unlink: guarded(files.unlink),
    syncFolder: (path) => flush(() => files.syncFolder(path), always),
  };
}
