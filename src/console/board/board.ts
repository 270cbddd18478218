// The order of the board, and what live events do not contain: groups, favourites, and the last event of each lock.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Client } from '../api/client.ts';
import type { LockRecord } from '../api/types.ts';
import type { Live } from '../live.ts';

/** Locks that come and go one after the other are asked for once. */
const atMostEveryMs = 2_000;

export type LastEvent = Pick<LockRecord, 'recordType' | 'username' | 'success' | 'lockDate'>;

/** A lock by its place on the board; how it is now is a live event. */
export interface Door {
  readonly lockId: number;
  readonly name: string;
}

/** groupId 0 with an empty name: the locks without a group. */
export interface BoardGroup {
  readonly groupId: number;
  readonly name: string;
  readonly doors: readonly Door[];
}

/** GET /board (HTTP API 13.2), as far as the board needs it. */
interface BoardAnswer {
  readonly groups: readonly {
    readonly groupId: number;
    readonly name: string;
    readonly locks: readonly (Door & { readonly last: LastEvent | null })[];
  }[];
  readonly favourites: readonly number[];
}

export interface Board {
  /** In the order that a person set; undefined until they are loaded. */
  readonly groups: ReadonlySignal<readonly BoardGroup[] | undefined>;
  /** The ids of the locks, in the order in which they were marked. */
  readonly favourites: ReadonlySignal<readonly number[]>;
  readonly problem: ReadonlySignal<unknown>;
  /** null: none, or not for us to know. */
  lastOf(lockId: number): ReadonlySignal<LastEvent | null>;
  /** Rejects with a `Problem`; then it is as before. */
  mark(lockId: number, isFavourite: boolean): Promise<void>;
  /** Asks the gateway, unless it is loaded already; from then on live events bring what is new. */
  open(): void;
  reload(): void;
  /** Follows live events until `stop`, which forgets everything. */
  start(): void;
  stop(): void;
}

export function createBoard(client: Client, live: Live): Board {
  const groups = signal<readonly BoardGroup[] | undefined>(undefined);
  const favourites = signal<readonly number[]>([]);
  const problem = signal<unknown>(undefined);
  const lasts = new Map<number, Signal<LastEvent | null>>();
  let isWanted = false;
  let isOutdated = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let times = 0;
  /** Of the board that is shown. */
  let etag: string | undefined;
  let unlisten: (() => void) | undefined;

  function lastOf(lockId: number): Signal<LastEvent | null> {
    const known = lasts.get(lockId) ?? signal<LastEvent | null>(null);
    lasts.set(lockId, known);
    return known;
  }
  /** What a lock stored while it was away comes late, and is not the last that happened. */
  function note(lockId: number, event: LastEvent): void {
    const last = lastOf(lockId);
    if (last.peek() === null || event.lockDate >= (last.peek()?.lockDate ?? 0)) last.value = event;
  }
  /** "Room 9" before "Room 10". */
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  function take(answer: BoardAnswer): void {
    groups.value = answer.groups.map(({ groupId, name, locks }) => ({
      groupId,
      name,
      doors: locks.map((lock) => ({ lockId: lock.lockId, name: lock.name })).sort((one, other) => compare(one.name, other.name)),
    }));
    favourites.value = answer.favourites;
    for (const { locks } of answer.groups) for (const { lockId, last } of locks) if (last !== null) note(lockId, last);
  }
  async function load(): Promise<void> {
    isWanted = true;
    isOutdated = false;
    times += 1;
    const time = times;
    timer = setTimeout(() => {
      timer = undefined;
      if (isOutdated) void load();
    }, atMostEveryMs);
    try {
      const changed = await client.getChanged<BoardAnswer>('board', etag);
      if (time !== times) return;
      if (changed !== undefined) take(changed.answer);
      etag = changed?.etag ?? etag;
      problem.value = undefined;
    } catch (error) {
      if (time === times) problem.value = error;
    }
  }
  function reload(): void {
    if (timer === undefined) void load();
    else isOutdated = true;
  }

  return {
    groups,
    favourites,
    problem,
    lastOf,
    async mark(lockId, isFavourite) {
      const before = favourites.value;
      const others = before.filter((favourite) => favourite !== lockId);
      favourites.value = isFavourite ? [...others, lockId] : others;
      try {
        await client.ask('PUT', 'account/favourites', { body: { lockIds: favourites.value } });
      } catch (error) {
        favourites.value = before;
        throw error;
      }
    },
    open() {
      if (!isWanted) void load();
    },
    reload,
    start() {
      unlisten = live.listen((happening) => {
        if (happening.type === 'record') note(happening.record.lockId, happening.record);
        else if (happening.type === 'locks' && isWanted) reload();
      });
    },
    stop() {
      unlisten?.();
      clearTimeout(timer);
      timer = undefined;
      times += 1;
      etag = undefined;
      isWanted = false;
      groups.value = undefined;
      favourites.value = [];
      problem.value = undefined;
      lasts.clear();
    },
  };
}
