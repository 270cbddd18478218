// Records of one kind. The gateway cannot filter by kind, so the console reads all records of the range and shows those that it finds
// meanwhile.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { LockRecord } from '../api/types.ts';
import { useApp } from '../app.ts';
import { type Paged, pageOf } from '../components/paged.ts';
import { type RecordRange, recordIdOf } from './record-range.ts';

const pageSize = 25;

interface Search {
  readonly found: readonly LockRecord[];
  readonly seen: number;
  readonly total: number;
  readonly isComplete: boolean;
  readonly problem: unknown;
}

const begun: Search = { found: [], seen: 0, total: 0, isComplete: false, problem: undefined };

export function useRecordsOfKind(
  range: RecordRange,
  kind: string,
): { paged: Paged<LockRecord>; progress: { seen: number; total: number } | undefined } {
  const { client } = useApp();
  const [search, setSearch] = useState(begun);
  const [pageNo, setPageNo] = useState(1);
  const [times, setTimes] = useState(0);

  useEffect(() => {
    const replaced = new AbortController();
    let found: readonly LockRecord[] = [];
    let seen = 0;
    setSearch(begun);
    setPageNo(1);
    async function look(): Promise<void> {
      for await (const { rows, total } of allRows<LockRecord>(client, 'lock/records', { ...range }, recordIdOf, replaced.signal)) {
        if (replaced.signal.aborted) return;
        seen += rows.length;
        found = [...found, ...rows.filter(({ recordType }) => recordType === kind)];
        setSearch({ ...begun, found, seen, total });
      }
      if (!replaced.signal.aborted) setSearch((last) => ({ ...last, isComplete: true }));
    }
    look().catch((problem: unknown) => replaced.signal.aborted || setSearch((last) => ({ ...last, problem })));
    return () => replaced.abort();
  }, [client, range.lockId, range.startDate, range.endDate, kind, times]);

  const { found, seen, total, isComplete, problem } = search;
  return {
    paged: { page: pageOf(found, pageNo, pageSize), problem, turnTo: setPageNo, reload: () => setTimes((before) => before + 1) },
    progress: isComplete || problem !== undefined ? undefined : { seen, total },
  };
}
