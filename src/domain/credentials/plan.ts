// The next step towards what is wanted on a lock: one command. A pure function of what is wanted and what is surely held.
import { type Entry, isSameWindow, type ValidWindow } from './entry.ts';
import { isSupported } from './entry-status.ts';
import { isStranger } from './listed-card.ts';
import type { MemoryLimits } from './lock-memory.ts';
import { coversWindow, intersectWindows } from './valid-windows.ts';
import { endedStaysMs, isOver } from './wanted.ts';

/** Why the removal of an entry goes before all others. */
export type Urgency = 'lost' | 'suspended';

export interface PlanInput {
  readonly entries: readonly Entry[];
  readonly now: number;
  /** Nothing is concluded from the date alone. */
  readonly clockIsSuspect: boolean;
  readonly limits: MemoryLimits;
  /** Nothing but what was lost is sent. */
  readonly isPaused: boolean;
  readonly strangers: 'keep' | 'remove';
  /** The memory of the lock is full: what has ended makes room at once. */
  readonly needsRoom: boolean;
  wanted(entry: Entry): ValidWindow | null;
  urgency(entry: Entry): Urgency | undefined;
  /** A try has failed, and the next one has not come yet. */
  isDeferred(entry: Entry): boolean;
  /** Its batch was refused: it is sent alone, so that the lock's word is about it. */
  isAlone(entry: Entry): boolean;
}

export type Step =
  | { readonly kind: 'put'; readonly items: readonly { readonly entry: Entry; readonly window: ValidWindow }[] }
  | { readonly kind: 'remove'; readonly items: readonly { readonly entry: Entry }[] };

/** In the order in which they are done. */
const ranks = { revoked: 0, takenAway: 1, ended: 2, put: 3 } as const;

/** What is to be done about one entry; `window` null: it goes off. */
interface Goal {
  readonly entry: Entry;
  readonly window: ValidWindow | null;
  readonly rank: number;
}

const entriesAtOnce = 100;

/**
 * undefined: there is nothing to do, or nothing that may be done now. What a lock holds must be sure. It looks at all entries, so it yields
 * now and then.
 */
export function* nextStep(input: PlanInput): Generator<undefined, Step | undefined> {
  const goals = yield* goalsOf(input);
  const [first] = yield* firstOf(goals, 1);
  if (first === undefined) return undefined;
  const isLikeFirst = ({ rank, window }: Goal) => rank === first.rank && (window === null) === (first.window === null);
  const like = input.isAlone(first.entry) ? [first] : goals.filter((goal) => isLikeFirst(goal) && !input.isAlone(goal.entry));
  const some = yield* firstOf(like, input.limits.batch);
  return first.window === null
    ? { kind: 'remove', items: some.map(({ entry }) => ({ entry })) }
    : { kind: 'put', items: some.flatMap(({ entry, window }) => (window === null ? [] : [{ entry, window }])) };
}

function* goalsOf(input: PlanInput): Generator<undefined, readonly Goal[]> {
  const sparesStrangers = input.strangers === 'keep' || removesTooMany(input.entries);
  const all: Goal[] = [];
  /** Credentials of which another number is on the lock still: a lock holds one of them at a time. */
  const elsewhere = new Set<number>();
  let seen = 0;
  for (const entry of input.entries) {
    if (++seen % entriesAtOnce === 0) yield;
    const goal = goalOf(entry, input, sparesStrangers);
    if (goal === undefined) continue;
    if (goal.window === null && entry.credentialId !== null) elsewhere.add(entry.credentialId);
    all.push(goal);
  }
  return all.filter(({ entry, window, rank }) => {
    if (input.isPaused && input.urgency(entry) !== 'lost') return false;
    if (input.isDeferred(entry)) return false;
    return rank !== ranks.put || window === null || entry.credentialId === null || !elsewhere.has(entry.credentialId);
  });
}

/** So many of them, in the order in which they are done. */
function* firstOf(goals: readonly Goal[], count: number): Generator<undefined, readonly Goal[]> {
  const first: Goal[] = [];
  let seen = 0;
  for (const goal of goals) {
    if (++seen % entriesAtOnce === 0) yield;
    const last = first[count - 1];
    if (last !== undefined && inOrder(last, goal) < 0) continue;
    const place = first.findIndex((one) => inOrder(goal, one) < 0);
    first.splice(place === -1 ? first.length : place, 0, goal);
    if (first.length > count) first.pop();
  }
  return first;
}

function goalOf(entry: Entry, input: PlanInput, sparesStrangers: boolean): Goal | undefined {
  const held = entry.held?.window ?? null;
  if (input.urgency(entry) === 'lost') return held === null ? undefined : { entry, window: null, rank: ranks.revoked };
  if (!entry.managed) return undefined;
  const wanted = input.wanted(entry);
  if (wanted === null) return held === null ? undefined : removalOf(entry, held, input, sparesStrangers);
  const window = attainable(entry, held, wanted, input.limits);
  if (isSameWindow(window, held)) return undefined;
  if (window === null) return { entry, window, rank: ranks.takenAway };
  const isNarrowing = held !== null && coversWindow(held, window);
  if (isNarrowing) return { entry, window, rank: ranks.takenAway };
  const advancesPiece = held !== null && entry.credentialId !== null;
  return input.clockIsSuspect && advancesPiece ? undefined : { entry, window, rank: ranks.put };
}

function removalOf(entry: Entry, held: ValidWindow, input: PlanInput, sparesStrangers: boolean): Goal | undefined {
  if (isStranger(entry)) {
    const { before } = entry.held ?? {};
    if (before !== undefined && before !== null) return { entry, window: before, rank: ranks.takenAway };
    return sparesStrangers || entry.accepted !== null ? undefined : { entry, window: null, rank: ranks.takenAway };
  }
  if (input.urgency(entry) !== undefined) return { entry, window: null, rank: ranks.revoked };
  if (!isOver(held, input.now)) return { entry, window: null, rank: ranks.takenAway };
  if (input.clockIsSuspect || !(input.needsRoom || isOver(held, input.now - endedStaysMs))) return undefined;
  return { entry, window: null, rank: ranks.ended };
}

/**
 * What may be on the lock of what is wanted: of what somebody took away at the lock nothing is given back, and what the lock cannot hold as
 * it is wanted is not there at all.
 */
function attainable(entry: Entry, held: ValidWindow | null, wanted: ValidWindow, limits: MemoryLimits): ValidWindow | null {
  const window = entry.missing ? held && intersectWindows(held, wanted) : wanted;
  // A one-time code may have been used since the lock spoke: it is not sent again, so it can only go.
  if (held?.once && window?.once) return coversWindow(window, held) ? held : null;
  if (window === null || isSupported(limits, entry, window)) return window;
  return held !== null && coversWindow(wanted, held) ? held : null;
}

/** More strangers at once than the gateway takes off without a person. */
function removesTooMany(entries: readonly Entry[]): boolean {
  const strangers = entries.filter((entry) => isStranger(entry) && entry.held !== null && entry.accepted === null).length;
  const onLock = entries.filter(({ held }) => held !== null).length;
  return strangers > Math.max(10, onLock / 4);
}

function inOrder(one: Goal, other: Goal): number {
  const start = (goal: Goal) => (goal.rank === ranks.put ? (goal.window?.startDate ?? 0) : 0);
  return one.rank - other.rank || start(one) - start(other) || one.entry.entryId - other.entry.entryId;
}
