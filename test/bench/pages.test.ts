// The pages say what was measured, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withTables } from './pages.ts';
import { keptRuns, tablesOf } from './runs.ts';

const here = import.meta.dirname;

test.each(['README.md', '../../README.md'])('the tables in %s are those of the kept runs', (page) => {
  const text = readFileSync(join(here, page), 'utf8');
  const tables = tablesOf(keptRuns(join(here, 'runs')));
  expect(tables).toContain('| bare Express + Aedes |');
  expect(withTables(text, tables)).toBe(text);
});
