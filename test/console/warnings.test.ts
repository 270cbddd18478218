// The sentences for the codes of the log.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { warningsEn } from '../../src/console/upkeep/language/warnings-en.ts';

const source = join(import.meta.dirname, '../../src');

test('each sentence is about a code that the gateway has', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('console'),
  );
  const text = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');
  expect(Object.keys(warningsEn).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});
