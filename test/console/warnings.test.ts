// The sentences for the codes of the log.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { warningsEn } from '../../src/console/upkeep/language/warnings-en.ts';

const source = join(import.meta.dirname, '../../src');

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('console'),
);
const text = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');

test('each sentence is about a code that the gateway has', () => {
  expect(Object.keys(warningsEn).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});

test('what the log warns of has a sentence', () => {
  const codes = [...text.matchAll(/\b(?:warn|error|fatal)\(\s*\{\s*code: '([a-z-]+)'/g)].map(([, code]) => code as string);
  expect(codes.length).toBeGreaterThan(40);
  expect(codes.filter((code) => !(code in warningsEn))).toEqual([]);
});
