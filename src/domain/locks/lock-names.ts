// The names of locks. Nobody may mistake a new name or alias for another: it must differ by more than the case of its letters, and must not
// hold marks that turn the direction of text. Existing names stay valid, and several locks may have exactly the same name.
import { DomainError, invalidParameter } from '../errors.ts';
import { createMutex } from '../mutex.ts';
import type { Lock, LockId } from './lock.ts';
import type { LockStore } from './lock-ports.ts';

type Names = Partial<Pick<Lock, 'name' | 'alias'>>;

export interface LockNames {
  /**
   * Runs `work`, which gives these names to the lock, or to a new lock; one at a time. Rejects with `conflict` when another lock has one of
   * them in another case, and with `invalid-parameter` for direction marks. A name that the lock has already is always accepted.
   */
  give<T>(lockId: LockId | undefined, names: Names, work: () => Promise<T>): Promise<T>;
  /** A lock was registered (`before` is undefined), changed or removed (`after` is undefined). */
  changed(before: Lock | undefined, after: Lock | undefined): void;
}

const kinds = ['name', 'alias'] as const;
const parameters = { name: 'lockName', alias: 'lockAlias' } as const;
/** Unicode, UAX 9: the implicit marks, the embeddings and overrides, and the isolates. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

type Kind = (typeof kinds)[number];
/** Maps each lower-cased name to its spellings, and each spelling to the locks that have it. */
type Known = Map<string, Map<string, Set<LockId>>>;

export function createLockNames(locks: Pick<LockStore, 'all' | 'get'>): LockNames {
  const oneByOne = createMutex();
  /** Built at the first use, because the store is empty until it is open. */
  let known: Readonly<Record<Kind, Known>> | undefined;

  function built(): Readonly<Record<Kind, Known>> {
    if (known === undefined) {
      known = { name: new Map(), alias: new Map() };
      for (const lock of locks.all()) for (const kind of kinds) put(known[kind], lock[kind], lock.lockId);
    }
    return known;
  }
  function requireGood(lock: Lock | undefined, names: Names): void {
    for (const kind of kinds) {
      const name = names[kind];
      if (name === undefined || name === lock?.[kind]) continue;
      if (directionMarks.test(name)) throw invalidParameter(parameters[kind], 'must not contain marks of the direction of text');
      const alike = [...(built()[kind].get(name.toLowerCase()) ?? [])];
      const isOthers = (lockIds: ReadonlySet<LockId>): boolean => lockIds.size > (lock !== undefined && lockIds.has(lock.lockId) ? 1 : 0);
      if (alike.some(([other, lockIds]) => other !== name && isOthers(lockIds)))
        throw new DomainError('conflict', `${parameters[kind]} differs from that of another lock by the case of its letters alone`);
    }
  }

  return {
    give(lockId, names, work) {
      if (names.name === undefined && names.alias === undefined) return work();
      return oneByOne(() => {
        requireGood(lockId === undefined ? undefined : locks.get(lockId), names);
        return work();
      });
    },
    changed(before, after) {
      if (known === undefined) return;
      for (const kind of kinds) {
        if (before?.[kind] === after?.[kind]) continue;
        if (before !== undefined) take(known[kind], before[kind], before.lockId);
        if (after !== undefined) put(known[kind], after[kind], after.lockId);
      }
    },
  };
}

function put(known: Known, name: string, lockId: LockId): void {
  const folded = name.toLowerCase();
  const alike = known.get(folded) ?? new Map<string, Set<LockId>>();
  known.set(folded, alike.set(name, (alike.get(name) ?? new Set()).add(lockId)));
}

function take(known: Known, name: string, lockId: LockId): void {
  const folded = name.toLowerCase();
  const alike = known.get(folded);
  const lockIds = alike?.get(name);
  lockIds?.delete(lockId);
  if (lockIds?.size === 0) alike?.delete(name);
  if (alike?.size === 0) known.delete(folded);
}
