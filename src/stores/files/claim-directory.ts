// How a directory becomes the data directory: closed to other users (0700) and used by one process alone. A directory that somebody named
// by mistake, such as /tmp or a home, is refused.
import { dirname, resolve } from 'node:path';
import { isFamiliar, neededNames } from './data-directory.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { accountsName } from './documents/account-file.ts';
import { codeOf, type FileLayer } from './files.ts';
import { moveNoteName, readMoveNote, sayMoved, tryMoveAgain } from './move-note.ts';

/** Rejects with one sentence when the directory exists and holds files that are not latchd's. */
async function refuseForeignDirectory(files: FileLayer, directory: string): Promise<void> {
  const names = await files.readdir(directory).catch((error: unknown) => {
    // Any other error shows up when the directory is made or written to.
    if (codeOf(error) !== '') return [] as string[];
    throw error;
  });
  if (neededNames.filter((name) => names.includes(name)).length >= 2) return;
  const foreign = names.filter((name) => !isFamiliar(name)).sort()[0];
  if (foreign === undefined) return;
  throw new Error(
    `latchd does not take ${resolve(directory)} for its data directory: it holds ${foreign}, which is not latchd's, and would be closed to everybody else: name an empty directory, or one that latchd has made`,
  );
}

/**
 * Rejects with one sentence when a folder that held data is missing: a new, empty one would look as if there had never been a lock or a
 * record.
 */
async function refuseHollowDirectory(files: FileLayer, directory: string): Promise<void> {
  const names = await files.readdir(directory).catch(() => [] as string[]);
  // The accounts file is the last one that a first start creates.
  if (!names.includes(accountsName) && !names.includes('accounts.json')) return;
  const missing = ['locks', 'records'].find((folder) => !names.includes(folder));
  if (missing === undefined) return;
  throw new Error(
    `${directory}/${missing} is missing although other data is there: put it back from a backup, or make an empty folder of that name to go on without what was in it`,
  );
}

/** Rejects with one sentence when the data was moved away: what is left would go another way than what was moved. */
async function refuseMoved(files: FileLayer, directory: string): Promise<void> {
  const note = await readMoveNote(files, directory);
  if (note === undefined) return;
  const remedy =
    note.state === 'gone'
      ? `start with that store. Only if you are sure that nothing happened there, remove ${moveNoteName}`
      : tryMoveAgain;
  throw new Error(`${sayMoved(resolve(directory), note)}: ${remedy}`);
}

const foldersOfAllData = ['/locks', '/cards', '/records', '/removed', '/audit', '/attempts', '/webhooks', '/imports'];

/** Creates the directory with its folders and takes its lock. Rejects with one sentence that names the directory and says what to do. */
export async function claimDirectory(options: {
  readonly files: FileLayer;
  /** The file layer without the flush guard, for operations that may fail. */
  readonly unguarded: FileLayer;
  readonly directory: string;
  readonly directoryLock: Pick<DirectoryLock, 'acquire'>;
  /** What is made in it; absent: the folders of all data; none: it keeps no data, so what was moved away from there is in nobody's way. */
  readonly folders?: readonly string[];
}): Promise<void> {
  const { files, unguarded, directory, directoryLock, folders = foldersOfAllData } = options;
  let at = directory;
  try {
    if (folders.length > 0) await refuseMoved(files, directory);
    await refuseForeignDirectory(files, directory);
    await refuseHollowDirectory(files, directory);
    for (const below of ['', ...folders]) {
      at = `${directory}${below}`;
      await files.makeFolder(at);
    }
    at = directory;
    await directoryLock.acquire();
    await files.syncFolder(directory);
    // The directory itself may be new. A user who may not read the folder above it did not create it there.
    await unguarded.syncFolder(dirname(directory)).catch(() => undefined);
  } catch (error) {
    const code = codeOf(error);
    if (code === '') throw error;
    throw new Error(`latchd cannot use its data directory ${resolve(at)} (${code}): ${repairHintFor(code)}`, { cause: error });
  }
}

/** What an operator can do about a directory that the start cannot use. */
function repairHintFor(code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'there is no room on its disk: make some';
  if (code === 'EROFS') return 'its disk is mounted read-only: mount it writable, and look at the kernel log, it may be failing';
  if (code === 'EACCES' || code === 'EPERM') return 'the user that latchd runs as may not write there: give the directory to that user';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it, or something above it, is a file: move that away or name another directory';
  if (code === 'ENOENT') return 'no directory can be made there: name one on a disk';
  if (code === 'EIO') return 'its disk does not work: look at the kernel log and at the disk';
  return 'make it a directory that latchd owns, on a disk that works';
}
