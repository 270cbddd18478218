// The console as it was built: small enough for a phone at a bad door.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '../../dist/console/assets');

test('all that one browser ever loads is below 60 kB: every page, the chart, and one of the languages', () => {
  const sizes = readdirSync(folder).map((name) => ({ name, bytes: gzipSync(readFileSync(join(folder, name))).length }));
  const languages = sizes.filter(({ name }) => /^(?:en|de)-/.test(name)).map(({ bytes }) => bytes);
  expect(languages).toHaveLength(2);
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(all - Math.min(...languages)).toBeLessThan(60_000);
});
