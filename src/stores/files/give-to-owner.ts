// What root makes in a data directory is for the daemon, which runs as the owner of the directory.
import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Gives files of the directory to its owner. Does nothing but as root, who alone may. */
export async function giveToOwner(directory: string, names: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  for (const name of names) await chown(join(directory, name), uid, gid);
}
