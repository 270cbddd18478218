// Encodes many lines in slices, so that nothing else waits for all of them.
import { checksummedLine } from '../checksummed-line.ts';
import { nextTick } from '../records/next-turn.ts';

const sliceCharacters = 32_768;

/** The lines with their checksums, one for each value. */
export async function encodeLines(values: Iterable<object>): Promise<Buffer> {
  const slices: Buffer[] = [];
  let text = '';
  for (const value of values) {
    text += checksummedLine(value);
    if (text.length < sliceCharacters) continue;
    slices.push(Buffer.from(text));
    text = '';
    await nextTick();
  }
  return Buffer.concat([...slices, Buffer.from(text)]);
}
