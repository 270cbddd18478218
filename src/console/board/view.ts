// What the board shows of what is there, so that only those parts of the page change that have something else to show.
import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useApp } from '../app.ts';
import type { LiveLock } from '../live.ts';
import type { BoardGroup, Door } from './board.ts';
import { type Concern, concernsOf } from './concerns.ts';

export type Show = 'all' | 'alarm' | 'offline' | 'unlocked';

export interface BoardView {
  /** The groups with the locks that were searched for; those without any are left out. */
  readonly found: ReadonlySignal<readonly BoardGroup[]>;
  readonly favourites: ReadonlySignal<readonly Door[]>;
  readonly concerns: ReadonlySignal<readonly Concern[]>;
  /** The kinds of the concerns of a lock, by its id. */
  readonly kinds: ReadonlySignal<ReadonlyMap<number, string>>;
  readonly counts: { readonly locks: ReadonlySignal<number>; readonly offline: ReadonlySignal<number> };
}

export function useBoardView(): BoardView {
  const { board, live, router } = useApp();
  const all = useComputed(() => board.groups.value ?? []);
  const doors = useComputed(() => new Map(all.value.flatMap((group) => group.doors.map((door) => [door.lockId, door] as const))));
  const names = useComputed(() => new Map([...doors.value.values()].map(({ lockId, name }) => [lockId, name.toLowerCase()])));
  const concerns = useSame(() => concernsOf(live.alarms.value, live.locks.value ?? new Map()), sameConcern);
  const kinds = useComputed(() => {
    const found = new Map<number, string>();
    for (const { lockId, kind } of concerns.value) found.set(lockId, found.has(lockId) ? `${found.get(lockId)} ${kind}` : kind);
    return found;
  });
  const found = useSame(() => {
    const { search = '', group = '', show = '' } = router.query.value;
    const wanted = search.trim().toLowerCase();
    const isShown = shows[show as Show] ?? shows.all;
    const locks = live.locks.value;
    const isFound = ({ lockId }: Door) => {
      const lock = locks?.get(lockId);
      return lock !== undefined && names.value.get(lockId)?.includes(wanted) && isShown(lock, kinds.value);
    };
    return all.value
      .filter(({ groupId }) => group === '' || String(groupId) === group)
      .map((one) => ({ ...one, doors: one.doors.filter(isFound) }))
      .filter((one) => one.doors.length > 0);
  }, sameGroup);
  const favourites = useSame(() => {
    const marked = board.favourites.value.map((lockId) => doors.value.get(lockId));
    return marked.filter((door): door is Door => door !== undefined && live.locks.value?.has(door.lockId) === true);
  }, same);
  const locks = useComputed(() => live.locks.value?.size ?? 0);
  const offline = useComputed(() => [...(live.locks.value?.values() ?? [])].filter(({ online }) => !online).length);
  return { found, favourites, concerns, kinds, counts: { locks, offline } };
}

const shows: Readonly<Record<Show, (lock: LiveLock, kinds: ReadonlyMap<number, string>) => boolean>> = {
  all: () => true,
  alarm: ({ lockId }, kinds) => kinds.has(lockId),
  offline: ({ online }) => !online,
  unlocked: ({ state }) => state === 'unlocked',
};

/** A computed list that stays the very same one while its items are the same. */
function useSame<Item>(compute: () => readonly Item[], isSame: (one: Item, other: Item) => boolean): ReadonlySignal<readonly Item[]> {
  const last = useRef<readonly Item[]>([]);
  return useComputed(() => {
    const next = compute();
    if (!sameList(last.current, next, isSame)) last.current = next;
    return last.current;
  });
}

function sameList<Item>(one: readonly Item[], other: readonly Item[], isSame: (one: Item, other: Item) => boolean): boolean {
  return one.length === other.length && one.every((item, n) => isSame(item, other[n] as Item));
}

const same = (one: Door, other: Door) => one === other;
const sameConcern = (one: Concern, other: Concern) => one.kind === other.kind && one.lockId === other.lockId && one.since === other.since;
const sameGroup = (one: BoardGroup, other: BoardGroup) =>
  one.groupId === other.groupId && one.name === other.name && sameList(one.doors, other.doors, same);
