// Reads a file of any size line by line, in pieces.
import type { OpenFile } from '../files.ts';

/** Small enough that whatever examines its lines does not delay other work for long. */
const wideBytes = 256 << 10;
const newline = 10;

/** Called for each non-empty line, without its newline, with its position. The bytes are valid only until it returns. */
export type OnLine = (line: Buffer, position: number) => void;

/** Calls `onLine` for each line that ends in a newline; resolves with the end of the last one. `pieceBytes`: how much is read at a time. */
export async function scanLines(file: OpenFile, onLine: OnLine, pieceBytes = wideBytes): Promise<number> {
  // One buffer for all pieces; it begins with the unfinished line of the last piece.
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
      // Up to a million newlines may be behind the lines of an open journal.
      while (text[start] === newline) start += 1;
    }
    text.copyWithin(0, start);
    begun = text.length - start;
    position += start;
  }
}
