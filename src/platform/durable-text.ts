// Small text files that survive a power cut: they have either the complete old content or the complete new content (temporary file, fsync,
// rename, fsync of the folder).
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces the file at `path`. `mode` applies whatever the umask says. */
export async function writeDurably(path: string, text: string, mode: 0o600 | 0o644): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await renameDurably(temporary, path);
}

export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  const folder = await open(dirname(to), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
