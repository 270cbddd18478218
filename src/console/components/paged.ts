// Lists with pages: those that the gateway gives page by page, and those that are loaded already.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import { useApp } from '../app.ts';

export interface Paged<Row> {
  /** undefined until the first page is loaded; the earlier page stays while another is loaded. */
  readonly page: Page<Row> | undefined;
  readonly problem: unknown;
  turnTo(pageNo: number): void;
  reload(): void;
}

/** One page of rows that are all loaded; the last page, when there are fewer pages. */
export function pageOf<Row>(rows: readonly Row[], pageNo: number, pageSize: number): Page<Row> {
  const pages = Math.ceil(rows.length / pageSize);
  const shownNo = Math.max(1, Math.min(pageNo, pages));
  return { list: rows.slice((shownNo - 1) * pageSize, shownNo * pageSize), pageNo: shownNo, pages, total: rows.length };
}

/** A list that starts again at the first page when `path` or `query` changes. */
export function usePaged<Row>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}, pageSize = 25): Paged<Row> {
  const { client } = useApp();
  const asked = JSON.stringify([path, query]);
  const [wanted, setWanted] = useState({ asked, pageNo: 1, times: 0 });
  const [page, setPage] = useState<Page<Row>>();
  const [problem, setProblem] = useState<unknown>();
  const pageNo = wanted.asked === asked ? wanted.pageNo : 1;

  useEffect(() => {
    let current = true;
    client.get<Page<Row>>(path, { ...query, pageNo, pageSize }).then(
      (found) => {
        if (!current) return;
        setProblem(undefined);
        // The last page may no longer exist, because its rows were removed.
        if (found.list.length === 0 && pageNo > 1) setWanted({ asked, pageNo: Math.max(1, found.pages), times: 0 });
        else setPage(found);
      },
      (error: unknown) => {
        if (current) setProblem(error);
      },
    );
    return () => {
      current = false;
    };
  }, [asked, pageNo, wanted.times, client, pageSize]);

  return {
    page,
    problem,
    turnTo: (next) => setWanted({ asked, pageNo: next, times: 0 }),
    reload: () => setWanted({ asked, pageNo, times: wanted.times + 1 }),
  };
}
