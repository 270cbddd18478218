// One registered lock. The gateway gives them by pages alone, so it is looked for.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { ManagedLock } from '../api/types.ts';
import { useApp } from '../app.ts';

interface Found {
  /** undefined until it is here. */
  readonly lock?: ManagedLock;
  /** There is none. */
  readonly isGone?: boolean;
  readonly problem?: unknown;
}

export function useRegisteredLock(lockId: number): Found & { reload(): void } {
  const { client } = useApp();
  const [found, setFound] = useState<Found>({});
  const [times, setTimes] = useState(0);

  useEffect(() => {
    const ended = new AbortController();
    async function find(): Promise<Found> {
      for await (const { rows } of allRows<ManagedLock>(client, 'gateway/locks', {}, (lock) => lock.lockId, ended.signal)) {
        const lock = rows.find((one) => one.lockId === lockId);
        if (lock) return { lock };
      }
      return { isGone: true };
    }
    find().then(
      (result) => !ended.signal.aborted && setFound(result),
      (problem: unknown) => !ended.signal.aborted && setFound({ problem }),
    );
    return () => ended.abort();
  }, [client, lockId, times]);
  return { ...found, reload: () => setTimes((before) => before + 1) };
}
