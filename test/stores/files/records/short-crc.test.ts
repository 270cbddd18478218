import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { shortCrc32 } from '../../../../src/stores/files/records/short-crc.ts';

test('the checksum of few bytes is that of zlib, wherever they lie', () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * n * 31) & 255));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let from = 0; from < 9; from++) {
    for (let to = from; to <= bytes.length; to++) expect(shortCrc32(view, from, to)).toBe(crc32(bytes.subarray(from, to)));
  }
});
