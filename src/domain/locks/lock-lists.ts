// An index of the locks that each account sees, with search by alias and group. It is updated with each change of a lock, so that a page is
// a look-up.
import type { AccountId } from '../accounts/account.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Part } from '../part.ts';
import { placeInSorted } from '../sorted.ts';
import type { Lock, LockId } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

/** In place of an account: the list of all locks. */
export const everyLock = -1 as AccountId;

/** The criteria of a search; an absent one does not filter. */
export interface WantedLocks {
  /** A text in any part of the alias, in upper or lower case. */
  readonly alias?: string | undefined;
  /** 0: locks without a group. */
  readonly groupId?: number | undefined;
  /** Only those whose administrator the account is. */
  readonly administered?: boolean;
}

export interface LockLists {
  /** The locks on which the account has any role, or `everyLock`, by lockId ascending. */
  of(accountId: AccountId): LockId[];
  /** A page of those that match the criteria. */
  page(accountId: AccountId, wanted: WantedLocks, request: PageRequest): Page<Lock>;
  /** A number that changes whenever rights on any lock change. */
  rights(): number;
  /** A lock was registered (`before` is undefined), changed or removed (`after` is undefined). */
  changed(before: Lock | undefined, after: Lock | undefined): void;
}

/** A lock as it was last stored, so that a page needs no second look-up for each lock, and its alias in lower case, for a search. */
interface Listed {
  lock: Lock;
  alias: string;
}

/** A search that a client pages through, or types letter by letter. */
interface Search {
  readonly accountId: AccountId;
  readonly alias: string;
  readonly groupId: number | undefined;
  readonly administered: boolean;
  readonly found: Listed[];
}

const searchesCached = 100;

/** Start it when the store is open and nobody is served yet: it looks at all locks. */
export function createLockLists(locks: Pick<LockStore, 'all'>): LockLists & Part {
  /** Built at the first use: the store is empty until it is open. */
  let own: Map<AccountId, Listed[]> | undefined;
  const listed = new Map<LockId, Listed>();
  /** The least recently used search first. */
  const searches = new Map<string, Search>();
  let rights = 0;

  function built(): Map<AccountId, Listed[]> {
    if (own === undefined) {
      own = new Map();
      for (const lock of locks.all()) enter(own, lock);
    }
    return own;
  }
  function enter(into: Map<AccountId, Listed[]>, lock: Lock): void {
    const alias = lock.alias.toLowerCase();
    const one = listed.get(lock.lockId) ?? { lock, alias };
    listed.set(lock.lockId, Object.assign(one, { lock, alias }));
    for (const accountId of accountsOn(lock)) {
      const all = into.get(accountId) ?? [];
      into.set(accountId, all);
      put(all, one);
    }
  }
  function search(accountId: AccountId, { alias: given = '', groupId, administered = false }: WantedLocks): readonly Listed[] {
    const all = built().get(accountId) ?? [];
    const wanted = { accountId, alias: given.toLowerCase(), groupId, administered };
    if (wanted.alias === '' && groupId === undefined && !administered) return all;
    const key = `${accountId} ${groupId ?? ''} ${administered} ${wanted.alias}`;
    const known = searches.get(key);
    searches.delete(key);
    const found = known?.found ?? all.filter((one) => matches(wanted, one));
    searches.set(key, known ?? { ...wanted, found });
    if (searches.size > searchesCached) searches.delete(searches.keys().next().value as string);
    return found;
  }

  return {
    name: 'lock-lists',
    async start() {
      built();
    },
    async stop() {},
    of: (accountId) => (built().get(accountId) ?? []).map(idOf),
    page(accountId, wanted, request) {
      const { list, ...envelope } = paginate(search(accountId, wanted), request);
      return { list: list.map(({ lock }) => lock), ...envelope };
    },
    rights: () => rights,
    changed(before, after) {
      const lockId = (after ?? before)?.lockId;
      if (before?.administrator !== after?.administrator || before?.roles !== after?.roles) rights += 1;
      if (own === undefined || lockId === undefined) return;
      const accounts = new Set(after && accountsOn(after));
      for (const accountId of before === undefined ? [] : accountsOn(before)) {
        const all = accounts.has(accountId) ? undefined : own.get(accountId);
        if (all === undefined) continue;
        take(all, lockId);
        if (all.length === 0) own.delete(accountId);
      }
      if (after === undefined) listed.delete(lockId);
      else enter(own, after);
      const one = listed.get(lockId);
      for (const { found, ...wanted } of searches.values()) {
        if (one !== undefined && accounts.has(wanted.accountId) && matches(wanted, one)) put(found, one);
        else take(found, lockId);
      }
    },
  };
}

function accountsOn({ administrator, roles }: Lock): AccountId[] {
  return [everyLock, administrator, ...roles.map(({ accountId }) => accountId)];
}

function matches({ accountId, alias, groupId, administered }: Omit<Search, 'found'>, one: Listed): boolean {
  const { lock } = one;
  const isOfRole = !administered || lock.administrator === accountId;
  return isOfRole && one.alias.includes(alias) && (groupId === undefined || lock.groupId === groupId);
}

const idOf = ({ lock }: Listed): LockId => lock.lockId;

/** Inserts an entry, in place of one with the same id. */
function put(sorted: Listed[], one: Listed): void {
  const last = sorted.at(-1);
  // As every lock when all are entered.
  if (last === undefined || last.lock.lockId < one.lock.lockId) {
    sorted.push(one);
    return;
  }
  const place = placeInSorted(sorted, idOf(one), idOf);
  sorted.splice(place, sorted[place]?.lock.lockId === one.lock.lockId ? 1 : 0, one);
}

function take(sorted: Listed[], lockId: LockId): void {
  const place = placeInSorted(sorted, lockId, idOf);
  if (sorted[place]?.lock.lockId === lockId) sorted.splice(place, 1);
}
