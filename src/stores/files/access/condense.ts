// Condenses the oldest files of the access log to one: the last line about each topic, if it still stood at their end (Store 10).
import { stands, topicOf } from '../../../domain/access/access-log.ts';
import { removeIfThere, replaceFile } from '../documents/durable-file.ts';
import type { FileLayer } from '../files.ts';
import { type AccessFile, scanFile, writeIndex } from './access-file.ts';
import { accessLineOf } from './access-line.ts';
import { createLinePlaces } from './line-places.ts';

/**
 * Replaces the newest of these consecutive files; the caller deletes the others after it, so a power cut in between loses nothing, and
 * leaves some lines twice. Undefined: nothing stood any more.
 */
export async function condense(files: FileLayer, old: readonly AccessFile[]): Promise<AccessFile | undefined> {
  const lastLines = new Map<string, { readonly id: number; readonly bytes: Buffer }>();
  for (const { path } of old) {
    await scanFile(files, path, (line, _, bytes) => {
      const topic = `${line.lockId} ${topicOf(line)}`;
      if (line.id < (lastLines.get(topic)?.id ?? 0)) return;
      if (stands(line)) lastLines.set(topic, { id: line.id, bytes: Buffer.concat([bytes, Buffer.from('\n')]) });
      else lastLines.delete(topic);
    });
  }
  if (lastLines.size === 0) return undefined;
  const lines = [...lastLines.values()].sort((a, b) => a.id - b.id);
  const places = createLinePlaces();
  let position = 0;
  for (const { bytes } of lines) {
    const line = accessLineOf(bytes.subarray(0, -1));
    if (line) places.add(line, { position, length: bytes.length });
    position += bytes.length;
  }
  const newest = old.at(-1) as AccessFile;
  await removeIfThere(files, newest.indexPath);
  await replaceFile(files, newest.path, Buffer.concat(lines.map(({ bytes }) => bytes)));
  const condensed: AccessFile = { ...newest, places, head: places.head(position, true) };
  await writeIndex(files, condensed);
  return condensed;
}
