// Commands that root runs on the data of the daemon's user.
import { readdir, stat } from 'node:fs/promises';
import { notOurs } from './control/control-client.ts';

/** Goes on as the owner of the directory: files that root made would be closed to the daemon. Rejects with a sentence for any other user. */
export async function becomeOwner(directory: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  if (process.getuid?.() === uid) return;
  if (process.getuid?.() !== 0) throw await notOurs(directory);
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Rejects, for a user who may not look into the directory, with whose it is; whether it is there is for others to say. */
export async function requireReadable(directory: string): Promise<void> {
  await readdir(directory).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw await notOurs(directory, error);
  });
}
