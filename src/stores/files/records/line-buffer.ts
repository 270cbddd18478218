// Checked lines, one behind the other, in the buffer from which they are written; made there byte by byte when they come. Thousands of
// events wait for a flush: lines as strings, put together piece by piece, would be a dozen objects for each, which the collector of garbage
// copies twice, and writing them later takes longer than this.
import { checksummedExtra, finishLine } from '../checksummed-line.ts';

/** What most groups need; beyond `keptBytes` a buffer is not kept for the next ones. */
const firstBytes = 64 << 10;
const sourceOfBytes = 4 << 20;

const [newline, space, quote, minus, zero, backslash, tilde] = [0x0a, 0x20, 0x22, 0x2d, 0x30, 0x5c, 0x7e];
/** Digits that are counted with 32-bit integers, which is faster. */
const lowDigits = 8;
const lowLimit = 10 ** lowDigits;

/** A class, for its methods are called several times for each event: they find its members faster than those of a closure. */
export class LineBuffer {
  /** Of each line, with its newline. */
  readonly lengths: number[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  /** Of the same bytes. */
  #view = viewOf(this.#bytes);
  /** Where the line begins that is being made, and up to where it is. */
  #start = 0;
  #at = 0;

  /** All lines; good until the next one is begun. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#start);
  }

  /** All lines and so many newlines behind them; good until the next one is begun. */
  bytesBeforeNewlines(newlines: number): Buffer {
    const end = this.#start + newlines;
    this.#makeRoom(end);
    return this.#bytes.fill(newline, this.#start, end).subarray(0, end);
  }

  clear(): void {
    this.lengths.length = 0;
    this.#start = 0;
    if (this.#bytes.length > sourceOfBytes) this.#take(Buffer.alloc(0));
  }

  /** A line of at most so many bytes, without its checksum: what is put behind one another until `end`, which is no piece at last. */
  begin(mostBytes: number): void {
    this.#at = this.#start;
    const end = this.#start + mostBytes + checksummedExtra;
    if (end > this.#bytes.length) this.#makeRoom(end);
  }

  put({ words, length }: Piece): void {
    const view = this.#view;
    let at = this.#at;
    for (let n = 0; n < words.length; n++, at += 4) view.setInt32(at, words[n] as number, true);
    // What the last word has too many is written over by what comes next.
    this.#at += length;
  }

  /** In decimal; at most 17 bytes. */
  putInteger(value: number): void {
    let rest = value;
    if (rest < 0) {
      this.#bytes[this.#at++] = minus;
      rest = -rest;
    }
    const high = Math.floor(rest / lowLimit);
    if (high > 0) this.#putDigits(high, digitsOf(high));
    this.#putDigits(rest - high * lowLimit, high > 0 ? lowDigits : digitsOf(rest));
  }

  /** As JSON.stringify, which is asked only where something has to be escaped or may have to be; at most `jsonBytes`. */
  putText(plain: string): void {
    const into = this.#bytes;
    let at = this.#at;
    into[at++] = quote;
    for (let n = 0; n < plain.length; n++) {
      const code = plain.charCodeAt(n);
      if (code < space || code > tilde || code === quote || code === backslash) {
        this.#at += into.write(JSON.stringify(plain), this.#at);
        return;
      }
      into[at++] = code;
    }
    into[at++] = quote;
    this.#at = at;
  }

  end(): void {
    const end = finishLine(this.#bytes, this.#view, this.#start, this.#at);
    this.lengths.push(end - this.#start);
    this.#start = end;
  }

  /** A whole line, of a body. */
  add(body: string): void {
    this.begin(3 * body.length);
    this.#at += this.#bytes.write(body, this.#at);
    this.end();
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.#bytes.length, firstBytes));
    this.#bytes.copy(wider, 0, 0, this.#start);
    this.#take(wider);
  }

  #take(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  #putDigits(value: number, digits: number): void {
    const into = this.#bytes;
    let rest = value | 0;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const above = (rest / 10) | 0;
      into[at] = zero + rest - above * 10;
      rest = above;
    }
    this.#at += digits;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** ASCII as it is put: four characters at once, which for so few takes less than a copy by Node does. */
export interface Piece {
  readonly words: Int32Array;
  readonly length: number;
}

export function pieceOf(text: string): Piece {
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const words = Int32Array.from({ length: padded.length / 4 }, (_, n) => padded.readInt32LE(4 * n));
  return { words, length: text.length };
}

/** What a text takes at most: `\u0000`, and its quotes. */
export function jsonBytes(text: string): number {
  return 6 * text.length + 2;
}

/** Of an integer from 0 to below 10^8; beyond it, when it is up to 2^53 / 10^8, as well. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
