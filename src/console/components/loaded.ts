// What is loaded when it is first needed: chunks of the console, and their texts.
import { useEffect, useState } from 'preact/hooks';

interface Loaded<Value> {
  /** undefined until it is loaded. */
  readonly value: Value | undefined;
  /** Why it could not be loaded. */
  readonly problem: unknown;
  retry(): void;
}

/** What `load` gives, or `known` without asking for it; another `key` asks anew. */
export function useLoaded<Value>(known: Value | undefined, load: () => Promise<Value>, key = ''): Loaded<Value> {
  const [state, setState] = useState<{ readonly key: string; readonly value?: Value; readonly problem?: unknown }>({ key });
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (known !== undefined) return;
    let current = true;
    load().then(
      (value) => current && setState({ key, value }),
      (problem: unknown) => current && setState({ key, problem }),
    );
    return () => {
      current = false;
    };
  }, [key, times]);
  const { value, problem } = state.key === key ? state : {};
  return { value: known ?? value, problem, retry: () => setTimes(times + 1) };
}
