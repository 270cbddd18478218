// Puts the tables of the kept runs into the pages, between their marks.
import { readFileSync, writeFileSync } from 'node:fs';
import { keptRuns, summaryOf, tablesOf } from './runs.ts';

const begin = '<!-- bench: made by `npm run bench:pages` -->\n';
const end = '<!-- /bench -->';

/** The page with these tables between its marks; throws when it has none. */
export function withTables(page: string, tables: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error('the page has no marks for the tables of the bench');
  return `${page.slice(0, from)}${begin}\n${tables}\n${page.slice(to)}`;
}

if (process.argv[2] !== undefined) {
  const [folder, firstPage, benchPage] = process.argv.slice(2) as [string, string, string];
  const runs = keptRuns(folder);
  for (const [page, tables] of [
    [firstPage, summaryOf(runs)],
    [benchPage, tablesOf(runs)],
  ] as const) {
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables));
  }
}
