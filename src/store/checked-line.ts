// A line of JSON with a checksum as its last member, so that jq and grep read it and a flipped bit is found.
//   {"recordId":1,"lockId":7,"crc":"1c291ca3"}
// The checksum is the CRC-32 of all bytes before `,"crc"`.
import { crc32 } from 'node:zlib';

const head = ',"crc":"';
const tail = '"}';
const markLength = head.length + 8 + tail.length;

/** The line, with its newline, of an object that has at least one member. */
export function checkedLine(value: object): string {
  return withChecksum(JSON.stringify(value).slice(0, -1));
}

/** The line, with its newline, of JSON whose last brace is still missing. */
export function withChecksum(body: string): string {
  return `${body}${head}${hex(crc32(body))}${tail}\n`;
}

/** Whether a line (without its newline) is exactly as it was written. */
export function isIntact(line: Buffer): boolean {
  const end = line.length - markLength;
  if (end < 1) return false;
  return line.toString('latin1', end) === `${head}${hex(crc32(line.subarray(0, end)))}${tail}`;
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
