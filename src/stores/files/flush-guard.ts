// The one rule about failed flushes (Fault T4): after the first one, the kernel may have dropped the bytes that it could not write, and a
// second flush would report success. So nothing is written, named or acknowledged any more, and the process must end.
import { DomainError } from '../../domain/errors.ts';
import { codeOf, type FileLayer, type OpenFile, type OpenMode } from './files.ts';

/** The error that the caller of a write gets; the system's own error is its `cause`. A DomainError passes unchanged. */
export function storageUnavailable(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  return new DomainError('storage-unavailable', `${whatIsWrong(codeOf(cause))}; nothing was changed`, { cause });
}

/** The error for a change that was done in part; `outcome` says which part, and what happens to the rest. */
export function partlyDone(cause: unknown, outcome: string): DomainError {
  const system = cause instanceof DomainError ? cause.cause : cause;
  return new DomainError('storage-unavailable', `${whatIsWrong(codeOf(system))}; ${outcome}`, { cause });
}

/** The error for a file of records that exists and cannot be used. */
export function unreadable(file: string, cause: unknown): DomainError {
  return new DomainError('storage-unavailable', `The records in ${file} cannot be read. ${whatIsWrong(codeOf(cause))}`, { cause });
}

/** The cause of the failure, worded for people who can go to the machine and for those who can only call them. */
function whatIsWrong(code: string): string {
  if (isFull(code)) return `The disk of the gateway is full (${code}): make room on it, no restart is needed`;
  if (code === 'EROFS') return 'The disk of the gateway is mounted read-only (EROFS): look at the kernel log, it may be failing';
  if (code === 'EACCES' || code === 'EPERM')
    return `The gateway may not write in its data directory (${code}): give it back to the user that latchd runs as`;
  if (code === '') return 'The gateway cannot keep anything at the moment: its log says why';
  return `The disk of the gateway does not work (${code}): look at the kernel log and at the disk`;
}

/** The disk is full: the bytes of this flush were not accepted, and a later flush may succeed. */
export function isFull(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export interface GuardedFiles extends FileLayer {
  /** The flush error after which nothing is written any more. */
  broken(): Error | undefined;
  /** Rejects every later change, because the directory may belong to another process from now on. */
  close(): void;
}

/** The caller judges whether a file may exist or be missing; every other error means that the disk accepts no changes. */
const harmless = ['ENOENT', 'EEXIST'];

/**
 * The same file layer with a guard: the first failed flush calls `onFatal` once, and every later change is rejected. A full disk is not
 * fatal for bytes that are thrown away as a whole: a file that has no name yet, a group of lines that is cut off again. Every change that
 * the disk has rejected calls `onFailed`, with the error that its caller gets.
 */
export function guardFlushes(files: FileLayer, onFatal: (error: Error) => void, onFailed: (error: Error) => void): GuardedFiles {
  const { broken, close, refuseWhenBroken, flush, reporting } = createFlushState(onFatal, onFailed);

  function guarded<A extends unknown[], R>(action: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      refuseWhenBroken();
      return reporting(() => action(...args));
    };
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
    broken,
    close,
    open: async (path, mode) => {
      if (mode === 'read') return guardFile(await files.open(path, mode), mode);
      refuseWhenBroken();
      return guardFile(await reporting(() => files.open(path, mode)), mode);
    },
    rename: guarded(files.rename),
    link: guarded(files.link),
    unlink: guarded(files.unlink),
    syncFolder: (path) => flush(() => files.syncFolder(path), always),
  };
}

/** Whether changes are still allowed, and the two ways in which one may fail. */
function createFlushState(onFatal: (error: Error) => void, onFailed: (error: Error) => void) {
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
  function refuseWhenBroken(): void {
    if (broken) throw storageUnavailable(broken);
    if (isClosed) throw storageUnavailable(new Error('the store has stopped'));
  }
  return {
    broken: () => broken,
    close() {
      isClosed = true;
    },
    /** Throws `storage-unavailable` after a failed flush, and after `close`. */
    refuseWhenBroken,
    /** Runs a flush. `isFatal`: whether nothing can be promised after this failure. */
    async flush(action: () => Promise<void>, isFatal: (error: unknown) => boolean): Promise<void> {
      refuseWhenBroken();
      try {
        await action();
      } catch (error) {
        onFailed(storageUnavailable(error));
        if (isFatal(error)) breakFor(error);
        throw error;
      }
      refuseWhenBroken();
    },
    /** Runs another change, and reports its failure unless the caller judges it. */
    async reporting<R>(action: () => Promise<R>): Promise<R> {
      try {
        return await action();
      } catch (error) {
        if (!harmless.includes(codeOf(error))) onFailed(storageUnavailable(error));
        throw error;
      }
    },
  };
}
