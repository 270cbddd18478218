// What happened in the building, newest first: more by cursor, and what happens meanwhile by itself.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LockRecord } from '../api/types.ts';
import { useApp } from '../app.ts';

/** A busy building is asked about once in this time. */
const freshEveryMs = 2_000;

/** A line of GET /activity (HTTP API 13.3). */
export interface ActivityLine extends LockRecord {
  readonly lockAlias: string;
  readonly lockDateSource: 'lock' | 'gateway';
  readonly personId: number | null;
  readonly personName: string | null;
  /** Why the lock refused; null: it did not say. */
  readonly reason: string | null;
}

interface ActivityPage {
  readonly list: readonly ActivityLine[];
  /** The cursor of the next page; null: there is nothing more. */
  readonly next: number | null;
}

export type ActivityQuery = Readonly<Record<string, string | number | undefined>>;

interface Found extends ActivityPage {
  /** The question to which this is the answer. */
  readonly asked: string;
}

export interface Activity {
  /** undefined until the first page is loaded. */
  readonly lines: readonly ActivityLine[] | undefined;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem: unknown;
  more(): void;
  reload(): void;
}

/** `isLive`: what happens meanwhile comes on top. */
export function useActivity(query: ActivityQuery, isLive: boolean): Activity {
  const { client, live } = useApp();
  const asked = JSON.stringify(query);
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<unknown>();
  const [isLoading, setLoading] = useState(false);
  const [times, setTimes] = useState(0);
  /** Ends with the question. */
  const question = useRef(new AbortController());
  const known = found?.asked === asked ? found : undefined;

  /** The gateway may need several requests to find a line, and says where to go on. */
  async function page(before: number | undefined, signal: AbortSignal): Promise<ActivityPage> {
    for (let cursor = before; ; ) {
      const answer = await client.ask<ActivityPage>('GET', 'activity', { query: { ...query, before: cursor }, signal });
      if (answer.list.length > 0 || answer.next === null) return answer;
      cursor = answer.next;
    }
  }
  async function load(before: number | undefined, join: (answer: ActivityPage, shown: Found | undefined) => ActivityPage): Promise<void> {
    const { signal } = question.current;
    setLoading(true);
    try {
      const answer = await page(before, signal);
      if (signal.aborted) return;
      setFound((shown) => ({ asked, ...join(answer, shown?.asked === asked ? shown : undefined) }));
      setProblem(undefined);
    } catch (error) {
      if (!signal.aborted) setProblem(error);
    } finally {
      if (!signal.aborted) setLoading(false);
    }
  }

  useEffect(() => {
    question.current = new AbortController();
    void load(undefined, (answer) => answer);
    return () => question.current.abort();
  }, [asked, times]);

  useEffect(() => {
    if (!isLive) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unlisten = live.listen(({ type }) => {
      if (type !== 'record' && type !== 'locks') return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void load(undefined, onTop);
      }, freshEveryMs);
    });
    return () => {
      unlisten();
      clearTimeout(timer);
    };
  }, [asked, isLive, live]);

  return {
    lines: known?.list,
    hasMore: known !== undefined && known.next !== null,
    isLoading,
    problem,
    more() {
      if (known?.next != null) void load(known.next, (answer, shown) => ({ ...answer, list: [...(shown?.list ?? []), ...answer.list] }));
    },
    reload: () => setTimes(times + 1),
  };
}

/** The newest page above what is shown; alone, when it does not reach down to that. */
function onTop(newest: ActivityPage, shown: Found | undefined): ActivityPage {
  const first = shown?.list[0]?.recordId;
  if (shown === undefined || first === undefined) return newest;
  const fresh = newest.list.filter(({ recordId }) => recordId > first);
  if (fresh.length === newest.list.length && newest.next !== null) return newest;
  return { list: [...fresh, ...shown.list], next: shown.next };
}
