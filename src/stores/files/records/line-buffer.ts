// Checksummed lines, one behind the other, in the buffer from which they are written. They are encoded byte by byte when they arrive:
// thousands of events may wait for a flush, and lines as strings would be a dozen objects each, which the garbage collector copies twice.
import { checksummedExtra, finishLine } from '../checksummed-line.ts';

/** Enough for most groups; a buffer beyond `keptBytes` is not reused. */
const firstBytes = 64 << 10;
const sourceOfBytes = 4 << 20;

const [newline, space, quote, minus, zero, backslash, tilde] = [0x0a, 0x20, 0x22, 0x2d, 0x30, 0x5c, 0x7e];
/** Digits that are computed with 32-bit integers, which is faster. */
const lowDigits = 8;
const lowLimit = 10 ** lowDigits;

/** A class, because its methods are called several times per event: access to members is faster than to the variables of a closure. */
export class LineBuffer {
  /** The length of each line, with its newline. */
  readonly lengths: number[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  /** A view of the same bytes. */
  #view = viewOf(this.#bytes);
  /** Start of the current line, and the position of its next byte. */
  #start = 0;
  #at = 0;

  /** All lines; valid until the next `begin`. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#start);
  }

  /** All lines and this many newlines behind them; valid until the next `begin`. */
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

  /**
   * Begins a line of at most this many bytes, without its checksum. All that is put until `end` belongs to it; the last part must not be a
   * piece.
   */
  begin(mostBytes: number): void {
    this.#at = this.#start;
    const end = this.#start + mostBytes + checksummedExtra;
    if (end > this.#bytes.length) this.#makeRoom(end);
  }

  put({ words, length }: Piece): void {
    const view = this.#view;
    let at = this.#at;
    for (let n = 0; n < words.length; n++, at += 4) view.setInt32(at, words[n] as number, true);
    // The last word may write too many bytes; the next part overwrites them.
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

  /** Writes the same as JSON.stringify, which is called only for texts with characters that may need escaping; at most `jsonBytes`. */
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

  /** Adds a whole line from a body. */
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

/** ASCII text that is copied four characters at a time: for such short texts, this is faster than a copy by Node. */
export interface Piece {
  readonly words: Int32Array;
  readonly length: number;
}

export function pieceOf(text: string): Piece {
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const words = Int32Array.from({ length: padded.length / 4 }, (_, n) => padded.readInt32LE(4 * n));
  return { words, length: text.length };
}

/** The most bytes that a text can need: `\u0000` for each character, and the quotes. */
export function jsonBytes(text: string): number {
  return 6 * text.length + 2;
}

/** Number of digits of an integer from 0 to below 10^8, and of a higher part up to 2^53 / 10^8. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
