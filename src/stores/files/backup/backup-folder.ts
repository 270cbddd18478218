// The folder of the backups: the names of the archives, and which of them are deleted when newer ones come.

import { removeIfThere } from '../documents/durable-file.ts';
import { codeOf, type FileLayer } from '../files.ts';
import type { BackupReason } from './backup-manifest.ts';

/** Archives from before an upgrade have a limit of their own: they are rare, and people want them long afterwards. */
const upgradesAtMost = 2;

/**
 * `latchd-20261121T033000Z.tar.gz`, `latchd-before-upgrade-20261121T033000Z.tar.gz`: sorted by name, they are in the order in which they
 * were made.
 */
function archiveName(reason: BackupReason, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `latchd-${reason === 'upgrade' ? 'before-upgrade-' : ''}${stamp}.tar.gz`;
}

/** The name of an archive that is not in the folder yet: of a second one within a second, that of the next second. */
export async function freeArchiveName(files: FileLayer, folder: string, reason: BackupReason, at: Date): Promise<string> {
  const taken = new Set(await files.readdir(folder));
  for (let time = at.getTime(); ; time += 1_000) {
    const name = archiveName(reason, new Date(time));
    if (!taken.has(name)) return name;
  }
}

const usual = /^latchd-\d{8}T\d{6}Z\.tar\.gz$/;
const beforeUpgrade = /^latchd-before-upgrade-\d{8}T\d{6}Z\.tar\.gz$/;
const unfinished = /^latchd-(before-upgrade-)?\d{8}T\d{6}Z\.tar\.gz\.partial$/;

/** When the newest regular archive was made, in epoch milliseconds; undefined when there is none. */
export async function newestMadeAt(files: FileLayer, folder: string): Promise<number | undefined> {
  const [newest] = (await files.readdir(folder))
    .filter((name) => usual.test(name))
    .sort()
    .reverse();
  return newest === undefined ? undefined : madeAtOf(newest);
}

/** When the archive with that name was made, in epoch milliseconds. */
export function madeAtOf(name: string): number {
  const [, date = '', time = ''] = /(\d{8})T(\d{6})Z/.exec(name) ?? [];
  return Date.parse(`${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
}

/** Whether a file is an archive, by its name. */
export function isArchiveName(name: string): boolean {
  return usual.test(name) || beforeUpgrade.test(name);
}

/** Removes the unfinished files that a killed process left behind. */
export async function removeUnfinished(files: FileLayer, folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) if (unfinished.test(name)) await removeIfThere(files, `${folder}/${name}`);
}

/** Removes the oldest archives until `keep` are left; resolves with their names. Does not touch other files. */
export async function rotate(files: FileLayer, folder: string, keep: number): Promise<string[]> {
  const names = (await files.readdir(folder)).sort();
  const tooOld = (pattern: RegExp, count: number) => names.filter((name) => pattern.test(name)).slice(0, -count);
  const removed = [...tooOld(usual, keep), ...tooOld(beforeUpgrade, upgradesAtMost)];
  for (const name of removed) await removeIfThere(files, `${folder}/${name}`);
  if (removed.length > 0) await files.syncFolder(folder);
  return removed;
}

/** Whether a path is a folder; false when it does not exist. */
export async function isFolder(files: FileLayer, path: string): Promise<boolean> {
  try {
    await files.readdir(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false;
    throw error;
  }
}
