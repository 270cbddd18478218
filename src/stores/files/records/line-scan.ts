// Reads a file line by line, whatever its size, in pieces.
import type { OpenFile } from '../files.ts';

/** Some 1,300 records: what looks at them holds nothing else up for long. */
const wideBytes = 256 << 10;
const newline = 10;

/** Called for each line that is not empty, without its newline, and its position. The bytes are only good until it returns. */
export type OnLine = (line: Buffer, position: number) => void;

/** Calls `onLine` for each of them that ends in a newline; resolves with where the last of them ended. `pieceBytes`: how much is read at a time. */
export async function scanLines(file: OpenFile, onLine: OnLine, pieceBytes = wideBytes): Promise<number> {
  // One buffer for all pieces; it begins with what is there of the line that the last piece ended in.
  let buffer = Buffer.allocUnsafe(pieceBytes);
  let begun = 0;
  let position = 0;
  for (;;) {
    if (begun === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
    const count = await file.read(buffer.subarray(begun), position + begun);
    if (count === 0) return position;
    const text = buffer.subarray(0, begun + count);
    let start = 0;
    for (let end = text.indexOf(newline, begun); end >= 0; end = text.indexOf(newline, start)) {
      if (end > start) onLine(text.subarray(start, end), position + start);
      start = end + 1;
      // Up to a million newlines are behind the lines of an open journal.
      while (text[start] === newline) start += 1;
    }
    text.copyWithin(0, start);
    begun = text.length - start;
    position += start;
  }
}
