// UTF-8 strings of MQTT packets (MQTT 3.1.1 sections 1.5.3 and 4.7), checked where they lie, without decoding them.
import type { PacketRejection } from './packet-rejections.ts';

/** What a string stands for: any text, a topic name, or a topic filter. */
export type TextKind = 'text' | 'topic-name' | 'topic-filter';

const tooShort = -1;
const badText = -2;
const badName = -3;
const badFilter = -4;
const faults: readonly PacketRejection[] = ['length', 'text', 'topic-name', 'topic-filter'];

/** The reason for a negative result of `textEnd` or `binaryEnd`. */
export function faultOf(end: number): PacketRejection {
  return faults[-end - 1] ?? 'length';
}

const slash = 0x2f;
const plus = 0x2b;
const hash = 0x23;
/** ASCII: 0 plain, 1 a control character or U+0000 [MQTT-1.5.3-2], 2 a wildcard. */
const asciiClass = Uint8Array.from({ length: 128 }, (_, code) =>
  code < 0x20 || code === 0x7f ? 1 : code === plus || code === hash ? 2 : 0,
);

/** Where a length-prefixed string ends, or a negative number that `faultOf` explains. Its bytes lie in [at, end). */
export function textEnd(bytes: Buffer, at: number, end: number, kind: TextKind): number {
  const to = binaryEnd(bytes, at, end);
  if (to < 0) return to;
  const from = at + 2;
  // [MQTT-4.7.3-1]
  if (from === to && kind !== 'text') return kind === 'topic-name' ? badName : badFilter;
  let index = from;
  while (index < to) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) {
      index = sequenceEnd(bytes, index, to);
      if (index < 0) return badText;
      continue;
    }
    const found = asciiClass[byte];
    if (found === 1) return badText;
    if (found === 2 && kind !== 'text') {
      // [MQTT-3.3.2-2]
      if (kind === 'topic-name') return badName;
      // A wildcard stands alone in its level, and # in the last one [MQTT-4.7.1-2], [MQTT-4.7.1-3].
      if (index > from && bytes[index - 1] !== slash) return badFilter;
      if (index + 1 < to && (byte === hash || bytes[index + 1] !== slash)) return badFilter;
    }
    index++;
  }
  return to;
}

/** Where length-prefixed bytes end, or a negative number that `faultOf` explains. */
export function binaryEnd(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end) return tooShort;
  const to = at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] as number));
  return to > end ? tooShort : to;
}

/**
 * Where a sequence of more than one byte ends; -1 when it is overlong, a surrogate, beyond U+10FFFF or cut short
 * [MQTT-1.5.3-1], or a control character or non-character, on which MQTT 3.1.1 section 1.5.3 lets a receiver close.
 */
function sequenceEnd(bytes: Buffer, at: number, to: number): number {
  const lead = bytes[at] as number;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > to) return -1;
  let code = lead & (0xff >> (length + 1));
  for (let index = at + 1; index < at + length; index++) {
    const byte = bytes[index] as number;
    if ((byte & 0xc0) !== 0x80) return -1;
    code = (code << 6) | (byte & 0x3f);
  }
  if ((length === 3 && code < 0x800) || (length === 4 && code < 0x10000) || code > 0x10ffff) return -1;
  if (code < 0xa0 || (code >= 0xd800 && code <= 0xdfff)) return -1;
  if ((code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) return -1;
  return at + length;
}
