// The locks of the building with their groups, for forms and tables that name them.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { Lock } from '../api/types.ts';
import { useApp } from '../app.ts';
import { useTexts } from './texts.ts';

export interface Building {
  /** By lockId. */
  readonly locks: ReadonlyMap<number, string>;
  /** By groupId. */
  readonly groups: ReadonlyMap<number, string>;
  readonly nameOf: (lockId: number) => string;
  /** The locks and groups of a grant, in words. */
  readonly doorsOf: (grant: { readonly lockIds: readonly number[]; readonly groupIds: readonly number[] }) => string;
}

export function useBuilding(): Building {
  const { client } = useApp();
  const texts = useTexts();
  const [rows, setRows] = useState<readonly Lock[]>([]);
  useEffect(() => {
    const left = new AbortController();
    async function load(): Promise<void> {
      const found: Lock[] = [];
      for await (const { rows: some } of allRows<Lock>(client, 'lock/list', {}, ({ lockId }) => lockId, left.signal)) found.push(...some);
      if (!left.signal.aborted) setRows(found);
    }
    // Without the names the numbers are shown.
    load().catch(() => undefined);
    return () => left.abort();
  }, [client]);
  const locks = new Map(rows.map(({ lockId, lockAlias }) => [lockId, lockAlias]));
  const groups = new Map(rows.filter(({ groupName }) => groupName !== '').map(({ groupId, groupName }) => [groupId, groupName]));
  const nameOf = (lockId: number) => locks.get(lockId) ?? texts.lock(lockId);
  return {
    locks,
    groups,
    nameOf,
    doorsOf: ({ lockIds, groupIds }) =>
      [...groupIds.map((groupId) => groups.get(groupId) ?? texts.group(groupId)), ...lockIds.map(nameOf)].join(', '),
  };
}
