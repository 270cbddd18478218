// Lists as a whole, page by page.
import type { Client, Page } from './client.ts';

const rowsInAPage = 1000;

/**
 * Every row of a list, in pieces, and how many there are in all. Rows that come while we read move the others on, so some may
 * be told twice: `keyOf` leaves those out. Ends early when `signal` is aborted.
 */
export async function* allRows<Row>(
  client: Client,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  keyOf: (row: Row) => string | number,
  signal: AbortSignal,
): AsyncGenerator<{ rows: readonly Row[]; total: number }> {
  const seen = new Set<string | number>();
  for (let pageNo = 1, pages = 1; pageNo <= pages && !signal.aborted; pageNo += 1) {
    const page = await client.get<Page<Row>>(path, { ...query, pageNo, pageSize: rowsInAPage });
    pages = page.pages;
    const rows = page.list.filter((row) => !seen.has(keyOf(row)));
    for (const row of rows) seen.add(keyOf(row));
    yield { rows, total: page.total };
  }
}
