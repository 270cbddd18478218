// A JSON line whose last member is a checksum, so that jq and grep read it and a flipped bit is found (Store 3).
//   {"recordId":1,"lockId":7,"crc":"1c291ca3"}
// The checksum is the CRC-32 of all bytes before `,"crc"`.
import { crc32 } from 'node:zlib';

const head = ',"crc":"';
const tail = '"}';
const markLength = head.length + 8 + tail.length;

/** Bytes that the checksum, the closing brace and the newline add to a body. */
export const checksummedExtra = markLength + 1;

/** The line, with its newline, for an object that has at least one member. */
export function checksummedLine(value: object): string {
  return withChecksum(bodyOf(value));
}

/** The JSON of an object that has at least one member, without its closing brace: the checksum covers these bytes. */
export function bodyOf(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** The line, with its newline, for a body. */
export function withChecksum(body: string): string {
  return `${body}${head}${hex(crc32(body))}${tail}\n`;
}

const digits = Buffer.from('0123456789abcdef');
const headBytes = Buffer.from(head);
const [headFirst, headSecond] = [headBytes.readInt32LE(0), headBytes.readInt32LE(4)];
/** The two hex digits of each byte, the first one in the low half. */
const digitPairs = Uint16Array.from({ length: 256 }, (_, byte) => Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16LE(0));
const tailPair = Buffer.from(tail).readUInt16LE(0);
const newline = 0x0a;

/**
 * Completes the body in [from, to) to a line: writes the checksum, brace and newline behind it (`checksummedExtra` bytes) and returns where
 * they end. `view` is a view of the same bytes.
 */
export function finishLine(bytes: Buffer, view: DataView, from: number, to: number): number {
  const checksum = crc32(bytes.subarray(from, to));
  view.setInt32(to, headFirst, true);
  view.setInt32(to + 4, headSecond, true);
  let at = to + head.length;
  for (let shift = 24; shift >= 0; shift -= 8, at += 2) view.setUint16(at, digitPairs[(checksum >>> shift) & 255] as number, true);
  view.setUint16(at, tailPair, true);
  view.setUint8(at + 2, newline);
  return at + 3;
}

/** The value of each byte as a hex digit; -1 when it is none. */
const digitOf = Int8Array.from({ length: 256 }, (_, byte) => digits.indexOf(byte));
const quote = 0x22;
const brace = 0x7d;

/** Whether a line (without its newline) is exactly what was written. A start checks every line with it, so it makes no string. */
export function isIntact(line: Buffer): boolean {
  const end = line.length - markLength;
  if (end < 1) return false;
  let at = end;
  for (const byte of headBytes) if (line[at++] !== byte) return false;
  let stated = 0;
  for (let n = 0; n < 8; n++) {
    const digit = digitOf[line[at++] as number] as number;
    if (digit < 0) return false;
    stated = stated * 16 + digit;
  }
  return line[at] === quote && line[at + 1] === brace && stated === crc32(line.subarray(0, end));
}

/** The JSON value of a line; undefined when the line is no JSON, which is possible even if its checksum is right. */
export function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
