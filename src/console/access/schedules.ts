// The schedules of the gateway, for forms and tables that name them.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import { useApp } from '../app.ts';
import type { Schedule } from './types.ts';

export interface Schedules {
  readonly all: readonly Schedule[];
  readonly problem: unknown;
  nameOf(scheduleId: number): string | undefined;
  reload(): void;
}

export function useSchedules(): Schedules {
  const { client } = useApp();
  const [all, setAll] = useState<readonly Schedule[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    async function load(): Promise<void> {
      const found: Schedule[] = [];
      const pieces = allRows<Schedule>(client, 'access/schedules', {}, ({ scheduleId }) => scheduleId, left.signal);
      for await (const { rows } of pieces) found.push(...rows);
      if (left.signal.aborted) return;
      setAll(found);
      setProblem(undefined);
    }
    load().catch((error: unknown) => left.signal.aborted || setProblem(error));
    return () => left.abort();
  }, [client, times]);
  return {
    all,
    problem,
    nameOf: (scheduleId) => all.find((schedule) => schedule.scheduleId === scheduleId)?.name,
    reload: () => setTimes((before) => before + 1),
  };
}
