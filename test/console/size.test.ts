// The console as it was built: small enough for a phone at a bad door.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '../../dist/console/assets');

test.each(['en', 'de'])('what a browser loads for a person who reads %s is below 60 kB when it is compressed', (language) => {
  const files = readdirSync(folder).filter((name) => !/^(?:en|de)-/.test(name) || name.startsWith(`${language}-`));
  expect(files.some((name) => name.startsWith(`${language}-`))).toBe(true);
  expect(files.length).toBeGreaterThan(3);
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(60_000);
});
