// A whole list of the gateway, to search and order it here: what is loaded already is shown while the rest comes.
import { useEffect, useRef, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import { useApp } from '../app.ts';

/** Many changes one after the other are loaded together. */
const atMostEveryMs = 2_000;

export interface AllRows<Row> {
  /** undefined until the first of them are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly problem: unknown;
  reload(): void;
}

/** The earlier rows stay while they are loaded again. */
export function useAllRows<Row>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  keyOf: (row: Row) => string | number,
): AllRows<Row> {
  const { client } = useApp();
  const asked = JSON.stringify([path, query]);
  const [rows, setRows] = useState<readonly Row[]>();
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    last.current = Date.now();
    const left = new AbortController();
    async function load(): Promise<void> {
      const found: Row[] = [];
      for await (const { rows: some } of allRows<Row>(client, path, query, keyOf, left.signal)) {
        found.push(...some);
        if (!left.signal.aborted) setRows((before) => (before === undefined || found.length >= before.length ? [...found] : before));
      }
      if (left.signal.aborted) return;
      setRows(found);
      setProblem(undefined);
    }
    load().catch((error: unknown) => left.signal.aborted || setProblem(error));
    return () => left.abort();
  }, [client, asked, times]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function reload(): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTimes((before) => before + 1), Math.max(0, last.current + atMostEveryMs - Date.now()));
  }
  return { rows, problem, reload };
}
