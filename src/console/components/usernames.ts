// The names of all accounts, for forms in which a person chooses one.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { Client } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { useApp } from '../app.ts';
import { useProblemText } from '../format.ts';

const suggestions = 12;

/** In alphabetical order; for gateway administrators. Rejects with a `Problem`. */
async function allUsernames(client: Client, ended: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  const pieces = allRows<Account>(client, 'gateway/accounts', {}, ({ username }) => username, ended);
  for await (const { rows } of pieces) found.push(...rows.map(({ username }) => username));
  return found.sort((one, other) => one.localeCompare(other));
}

/** In alphabetical order; empty until they are loaded. */
export function useUsernames(): readonly string[] {
  const { client, toasts } = useApp();
  const text = useProblemText();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    allUsernames(client, ended.signal).then(setNames, (error: unknown) => ended.signal.aborted || toasts.show('bad', text(error)));
    return () => ended.abort();
  }, [client]);
  return names;
}

/** What a field suggests for a part of a name. Who types before the names are loaded gets the suggestions when they are. */
export function useUsernameSuggestions(more: readonly string[] = []) {
  const { client } = useApp();
  const [names] = useState(() => allUsernames(client, new AbortController().signal).catch(() => []));
  return async (typed: string) => {
    const wanted = typed.toLowerCase();
    const found = [...(await names), ...more].filter((name) => name.toLowerCase().includes(wanted));
    return found.slice(0, suggestions).map((text, id) => ({ id, text }));
  };
}
