// Reads a file line by line, whatever its size, in pieces.
import type { OpenFile } from './files.ts';

const pieceBytes = 1 << 20;

/** Called for each line, without its newline, and its position. The bytes are only good until it returns. */
export type OnLine = (line: Buffer, position: number) => void;

/** Calls `onLine` for each line that ends in a newline; resolves with where the last of them ended. */
export async function scanLines(file: OpenFile, onLine: OnLine): Promise<number> {
  let carry: Buffer = Buffer.alloc(0);
  let position = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const count = await file.read(piece, position + carry.length);
    if (count === 0) return position;
    const text = carry.length === 0 ? piece.subarray(0, count) : Buffer.concat([carry, piece.subarray(0, count)]);
    let start = 0;
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
      onLine(text.subarray(start, end), position + start);
      start = end + 1;
    }
    carry = text.subarray(start);
    position += start;
  }
}
