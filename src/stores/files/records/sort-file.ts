// Puts the lines of a file of records into the order of a sealed one (Store 4.4), whatever its size.
import type { FileLayer, OpenFile } from '../files.ts';
import { createOpenIndex } from './open-index.ts';
import { lineHeadOf, linePiecesOf } from './records-after.ts';
import { sortedSlices } from './sorted-lines.ts';

/** Replaces the file, whose lines are intact and by recordId, by a flushed one. In memory there is the place of each line. */
export async function sortFile(files: FileLayer, path: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const [from, into] = [await files.open(path, 'read'), await files.open(temporary, 'create')];
  try {
    await copySorted(from, into);
    await into.sync();
  } finally {
    await from.close();
    await into.close();
  }
  await files.rename(temporary, path);
}

async function copySorted(from: OpenFile, into: OpenFile): Promise<void> {
  const size = await from.size();
  const runs = createOpenIndex();
  for await (const lines of linePiecesOf(from.read, { from: 0, to: size }))
    for (const { bytes, position } of lines) {
      const head = lineHeadOf(bytes);
      if (head !== undefined) runs.add(head.lockId, position, bytes.length + 1, 0);
    }
  let position = 0;
  for await (const slice of sortedSlices({ runs, bytes: () => size, readAt: from.read }, () => true)) {
    const bytes = Buffer.concat(slice.map((line) => line.bytes));
    await into.write(bytes, position);
    position += bytes.length;
  }
}
