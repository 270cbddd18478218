// Checks for commands that root runs on the data of the daemon's user.
import { readdir, stat } from 'node:fs/promises';
import { notOurs } from './control/control-client.ts';

/**
 * Switches to the user who owns the directory, because the daemon could not read files that root makes. Rejects with a sentence for any
 * other user.
 */
export async function becomeOwner(directory: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  if (process.getuid?.() === uid) return;
  if (process.getuid?.() !== 0) throw await notOurs(directory);
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Rejects, with the name of the owner, for a user who may not read the directory; does not check that the directory exists. */
export async function requireReadable(directory: string): Promise<void> {
  await readdir(directory).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw await notOurs(directory, error);
  });
}
