// The names of all accounts, for forms in which a person chooses one.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { Account } from '../api/types.ts';
import { useApp } from '../app.ts';
import { useProblemText } from '../format.ts';

/** In alphabetical order; empty until they are loaded. */
export function useUsernames(): readonly string[] {
  const { client, toasts } = useApp();
  const text = useProblemText();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    async function load(): Promise<void> {
      const found: string[] = [];
      const pieces = allRows<Account>(client, 'gateway/accounts', {}, ({ username }) => username, ended.signal);
      for await (const { rows } of pieces) found.push(...rows.map(({ username }) => username));
      setNames(found.sort((one, other) => one.localeCompare(other)));
    }
    load().catch((error: unknown) => toasts.show('bad', text(error)));
    return () => ended.abort();
  }, [client]);
  return names;
}
