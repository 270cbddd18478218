// The console as it was built: small enough for a phone at a bad door.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '../../dist/console/assets');

test('all of it, in both languages, is below 60 kB when it is compressed', () => {
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(60_000);
});
