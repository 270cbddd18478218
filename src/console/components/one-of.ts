// Finds one row of a list that the gateway only gives as a whole.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import { useApp } from '../app.ts';

interface Found<Row> {
  /** undefined until it is loaded; the earlier one stays when loading it again fails. */
  readonly one?: Row;
  /** The list has no such row. */
  readonly isGone?: boolean;
  readonly problem?: unknown;
}

/** The row of the list at `path` with this key; the earlier one stays while it is loaded again. */
export function useOneOf<Row>(path: string, keyOf: (row: Row) => number, key: number): Found<Row> & { reload(): void } {
  const { client } = useApp();
  const [found, setFound] = useState<Found<Row>>({});
  const [times, setTimes] = useState(0);

  useEffect(() => {
    const ended = new AbortController();
    async function find(): Promise<Found<Row>> {
      for await (const { rows } of allRows<Row>(client, path, {}, keyOf, ended.signal)) {
        const one = rows.find((row) => keyOf(row) === key);
        if (one !== undefined) return { one };
      }
      return { isGone: true };
    }
    find().then(
      (result) => !ended.signal.aborted && setFound(result),
      (problem: unknown) => !ended.signal.aborted && setFound((before) => ({ ...before, problem })),
    );
    return () => ended.abort();
  }, [client, path, key, times]);
  return { ...found, reload: () => setTimes((before) => before + 1) };
}
