// Reads a password or a token from the first line of a file, at each use, so that a new one needs no restart.
import { readFile } from 'node:fs/promises';

/** Rejects with a sentence that names the file, and never its content. */
export async function firstLineOf(what: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`not sent: ${what} ${path} cannot be read (${error.code})`, { cause: error });
  });
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new Error(`not sent: ${what} ${path} has no first line`);
  return line;
}
