// command.key: 32 random bytes that sign command ids, so that the record of a remote unlock can name its caller.
import { randomBytes } from 'node:crypto';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { readIfThere, replaceFile } from './durable-file.ts';

export const commandKeyName = 'command.key';

const keyBytes = 32;

/** Reads the key, or makes one durably. A new key among old data only costs the names in the records of commands that are in flight. */
export async function openCommandKey(files: FileLayer, path: string, log: Log, isFirstStart: boolean): Promise<Buffer> {
  const found = await readIfThere(files, path);
  if (found?.length === keyBytes) return found;
  if (found) await files.rename(path, `${path}.damaged`);
  if (!isFirstStart)
    log.warn({ code: 'command-key-made', file: commandKeyName }, 'the key of command ids was missing or damaged; a new one was made');
  const key = randomBytes(keyBytes);
  await replaceFile(files, path, key);
  return key;
}
