// A list that the gateway searches, filters and orders: one page of it. What a person asked of it is in the address, so that Back leads to it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import { useApp } from '../app.ts';

const pageSize = 25;
/** Until then somebody may go on typing. */
const typingMs = 250;
/** Many changes one after the other are loaded together. */
const atMostEveryMs = 2_000;

export interface AskedList<Row> {
  /** undefined until the first page is loaded; the earlier page stays while another is loaded. */
  readonly page: Page<Row> | undefined;
  readonly problem: unknown;
  /** Whether fewer rows are asked for than there are. */
  readonly isFiltered: boolean;
  reload(): void;
}

/** `query`: what the page itself asks for, besides the search, the order and the page in the address. */
export function useAskedList<Row>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): AskedList<Row> {
  const { client, router } = useApp();
  const { search = '', order, page = '1', ...filters } = router.query.value;
  const pageNo = Math.max(1, Number(page) || 1);
  const asked = JSON.stringify([path, query, search, order, pageNo]);
  const [found, setFound] = useState<Page<Row>>();
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const last = useRef({ at: 0, search });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const left = new AbortController();
    async function load(): Promise<void> {
      const wanted = { ...query, search: search.trim() || undefined, sort: order, pageNo, pageSize };
      const answer = await client.ask<Page<Row>>('GET', path, { query: wanted, signal: left.signal });
      setProblem(undefined);
      // The last page may no longer exist, because its rows were removed.
      if (pageNo > 1 && answer.list.length === 0) router.ask({ page: answer.pages > 1 ? String(answer.pages) : '' });
      else setFound(answer);
    }
    const wait = last.current.search === search ? 0 : typingMs;
    last.current = { at: Date.now() + wait, search };
    const beginning = setTimeout(() => load().catch((error: unknown) => left.signal.aborted || setProblem(error)), wait);
    return () => {
      clearTimeout(beginning);
      left.abort();
    };
  }, [client, asked, times]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return {
    page: found,
    problem,
    isFiltered: search.trim() !== '' || Object.keys(filters).length > 0,
    reload() {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setTimes((before) => before + 1), Math.max(0, last.current.at + atMostEveryMs - Date.now()));
    },
  };
}
