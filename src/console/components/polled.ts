// Data that has no live event: requested again every few seconds while the page is visible.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app.ts';

export interface Polled<Value> {
  /** undefined until it is loaded. */
  readonly value: Value | undefined;
  /** Why the last request failed. */
  readonly problem: unknown;
  reload(): void;
}

export function usePolled<Value>(path: string, everyMs: number): Polled<Value> {
  const polled = useAnswer<Value>(path);
  useEvery(everyMs, polled.reload);
  return polled;
}

/** The answer to one GET, until `reload` asks again. */
export function useAnswer<Value>(path: string): Polled<Value> {
  const { client } = useApp();
  const [{ value, problem }, setState] = useState<{ readonly value?: Value; readonly problem?: unknown }>({});
  const [times, setTimes] = useState(0);
  const reload = useCallback(() => setTimes((before) => before + 1), []);

  useEffect(() => {
    let current = true;
    client.get<Value>(path).then(
      (found) => current && setState({ value: found }),
      (error: unknown) => current && setState((before) => ({ ...before, problem: error })),
    );
    return () => {
      current = false;
    };
  }, [client, path, times]);
  return { value, problem, reload };
}

/** Calls the current `act` every `ms` while the page is visible, however often the component is rendered meanwhile. */
export function useEvery(ms: number, act: () => void): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') newest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
