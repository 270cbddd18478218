// The console as it was built: small enough for a phone at a bad door.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '../../dist/console/assets');

/** Loaded when somebody first opens a page about people and what they may open. */
const isLater = (name: string) => /^(?:parts|access)-/.test(name);
const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);

test.each(['en', 'de'])('what a browser loads for a person who reads %s is below 60 kB when it is compressed', (language) => {
  const files = readdirSync(folder).filter((name) => !isLater(name) && (!/^(?:en|de)-/.test(name) || name.startsWith(`${language}-`)));
  expect(files.some((name) => name.startsWith(`${language}-`))).toBe(true);
  expect(files.length).toBeGreaterThan(3);
  expect(sizeOf(files)).toBeLessThan(60_000);
});

test.each(['en', 'de'])(
  'what is loaded for people and grants, for a person who reads %s, is below 40 kB when it is compressed',
  (language) => {
    const files = readdirSync(folder).filter((name) => name.startsWith('parts-') || name.startsWith(`access-${language}-`));
    expect(files).toHaveLength(2);
    expect(sizeOf(files)).toBeLessThan(40_000);
  },
);
