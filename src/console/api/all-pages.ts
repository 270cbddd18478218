// Loads a whole list, page by page.
import type { Client, Page } from './client.ts';

const rowsInAPage = 1000;

/**
 * Gives every row of a list, in chunks, and the total. New rows move the others on while we read, so the gateway may give some
 * twice: `keyOf` removes those. Ends early when `signal` is aborted.
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
