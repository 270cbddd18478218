// The pages say what was measured, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withTables } from './pages.ts';
import { keptRuns, summaryOf, tablesOf } from './runs.ts';

const here = import.meta.dirname;

const runs = keptRuns(join(here, 'runs'));

test.each([
  ['README.md', tablesOf(runs)],
  ['../../README.md', summaryOf(runs)],
])('the tables in %s are those of the kept runs', (page, tables) => {
  const text = readFileSync(join(here, page), 'utf8');
  expect(tables).toMatch(/\bbare Express \+ Aedes\b.* x/s);
  expect(withTables(text, tables)).toBe(text);
});
