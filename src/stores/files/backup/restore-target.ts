// The target of a restore: an empty or new directory, in a folder where no other user can replace what we write. Another user who could do
// so would get the keys of a building, or could plant keys of their own. Owners and modes of all folders on the path decide this, as sshd
// does it.
import { lstat, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, type FileLayer, makeMissing } from '../files.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Place {
  /** The path with all links resolved. */
  readonly directory: string;
  /** An empty folder of this user alone, in which the data directory is assembled. */
  readonly making: string;
  /** The owner of the empty directory; undefined when it does not exist. */
  readonly owner: Owner | undefined;
}

/** Rejects with one sentence when the directory may not become a data directory. `purpose`: what an empty one is for, in that sentence. */
export async function findRestoreTarget(
  files: FileLayer,
  asked: string,
  purpose: 'a backup is restored' | 'data is moved',
): Promise<Place> {
  try {
    const directory = await realpath(asked).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return asked;
      throw error;
    });
    await makeMissing(dirname(directory));
    const { folder, isShared } = await requireOwnPlace(dirname(directory));
    const owner = await ownerOfEmpty(files, directory, purpose);
    const making = join(folder, `.${basename(directory)}.restoring`);
    // In a folder that is not shared, the owner decides about everything in it.
    const own = (one: Owner | undefined): boolean => !isShared || one === undefined || one.uid === process.getuid?.();
    if (!own(owner)) throw new Error(`${asked} belongs to another user (uid ${owner?.uid}): choose one that is not there yet`);
    const left = await lstat(making).catch(() => undefined);
    if (!own(left)) throw new Error(`${making} belongs to another user (uid ${left?.uid}): choose another directory`);
    await rm(making, { recursive: true, force: true });
    // mkdir fails with EEXIST if another user has just made this folder, so it is always our own.
    await mkdir(making, { mode: 0o700 });
    return { directory: join(folder, basename(directory)), making, owner };
  } catch (error) {
    throw codeOf(error) === ''
      ? error
      : new Error(`${asked} cannot be used (${codeOf(error)}): ${repairHintFor(codeOf(error))}`, { cause: error });
  }
}

function repairHintFor(code: string): string {
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not make it there: ask as root';
  if (code === 'EEXIST') return 'somebody else makes a directory there at this moment';
  if (code === 'ENOTDIR') return 'it, or something above it, is a file';
  if (code === 'EROFS') return 'that disk is read-only';
  return 'name a directory on a disk that works';
}

/** The owner of the directory; undefined when it does not exist. Rejects when the directory is not empty. */
async function ownerOfEmpty(files: FileLayer, directory: string, purpose: string): Promise<Owner | undefined> {
  try {
    const names = await files.readdir(directory);
    if (names.length > 0) throw new Error(`${directory} is not empty: ${purpose} to an empty or a new data directory only`);
    return await stat(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const sticky = 0o1000;

interface OwnPlace {
  /** The folder with all links resolved. */
  readonly folder: string;
  /** Others can make files in this folder too (the sticky bit protects ours from them): existing files may be theirs. */
  readonly isShared: boolean;
}

/** Rejects with one sentence when users other than this one and root can move or replace something below the folder. */
async function requireOwnPlace(folder: string): Promise<OwnPlace> {
  const real = await realpath(folder);
  for (let at = real; ; at = dirname(at)) {
    const { uid, mode, isOpen } = await look(at);
    if (uid !== 0 && uid !== process.getuid?.()) throw new Error(`${at} belongs to another user (uid ${uid}), who could ${replace}`);
    if (isOpen && (mode & sticky) === 0) throw new Error(`others can write to ${at}, and could ${replace}`);
    if (dirname(at) === at) return { folder: real, isShared: (await look(real)).isOpen };
  }
}

const replace = 'put a directory of theirs in the place of the new one: choose a folder that only this user or root can write to';

async function look(folder: string) {
  const { uid, gid, mode } = await lstat(folder);
  // Debian gives each user a group of the same name with no other members.
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.());
  return { uid, mode, isOpen };
}
