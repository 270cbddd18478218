// The group of each lock, which live events do not contain.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { Lock } from '../api/types.ts';
import { useApp } from '../app.ts';

interface LockGroups {
  /** The group's name by lockId; empty for none. */
  readonly groups: ReadonlyMap<number, string>;
  readonly problem: unknown;
  readonly reload: () => void;
}

/** Loads again whenever a live event reports a new or changed lock. */
export function useLockGroups(): LockGroups {
  const { client, live } = useApp();
  const [groups, setGroups] = useState<ReadonlyMap<number, string>>(new Map());
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const reload = () => setTimes((before) => before + 1);

  useEffect(() => live.listen(({ type }) => type === 'locks' && reload()), [live]);
  useEffect(() => {
    const left = new AbortController();
    async function load(): Promise<void> {
      const found = new Map<number, string>();
      const rows = allRows<Lock>(client, 'lock/list', {}, ({ lockId }) => lockId, left.signal);
      for await (const { rows: locks } of rows) for (const { lockId, groupName } of locks) found.set(lockId, groupName);
      if (left.signal.aborted) return;
      setGroups(found);
      setProblem(undefined);
    }
    load().catch((error: unknown) => left.signal.aborted || setProblem(error));
    return () => left.abort();
  }, [client, times]);
  return { groups, problem, reload };
}
