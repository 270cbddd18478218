// Whether it is known in the present session of a lock what the lock holds, and how that is learnt: from what it says of its memory, or by a
// listing.
import { DomainError } from '../errors.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockLink, LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { Slices } from '../people/in-slices.ts';
import type { Breaker } from './breaker.ts';
import type { CardId } from './card.ts';
import type { LockMemories } from './lock-memories.ts';
import type { Looking, MemoryCheck, SaidMemory } from './memory-check.ts';
import type { StepOutcomes } from './step-outcomes.ts';
import type { WantedViews } from './wanted-view.ts';

/** A failed listing stands in the breaker under this id, which no entry has. */
export const listing = 0 as CardId;

export interface LockKnowledgePorts {
  readonly locks: Pick<LockStore, 'get'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly memories: LockMemories;
  readonly views: WantedViews;
  readonly check: MemoryCheck;
  /** Stores that steps of people which the lock refused came to nothing, where the disk could not take that at once. */
  readonly undoRefused: (lockId: LockId) => Promise<void>;
  readonly slices: Slices;
  /** Sessions in which what their locks hold is known. */
  readonly sure: Pick<WeakSet<LockSession>, 'has' | 'delete'> & { add(session: LockSession): void };
}

/** All of it within a turn of the lock, but for `isIdle`. */
export interface LockKnowledge {
  /** The lock has said this in its hello. What is concluded of it holds for this session. */
  compare(said: SaidMemory, session: LockSession): Promise<void>;
  /** Whether the lock must show what it holds, whatever it has said. Of a new session: no, and everything that had failed is tried again. */
  mustList(session: LockSession): boolean;
  /** What the lock holds is not known any more; with `mustList` only a listing tells. */
  doubt(session: LockSession, mustList: boolean): void;
  /** Asks the lock what it holds. Whether that is known now, so that a step may be taken. */
  learn(looking: Looking): Promise<boolean>;
  /** As `learn`, for somebody who waits: rejects when the lock does not tell. undefined: it is registered no more. */
  show(session: LockSession): Promise<Looking | undefined>;
  /** Nothing is remembered that would not be learnt again. */
  isIdle(): boolean;
}

export function createLockKnowledge(
  { locks, link, memories, views, check, undoRefused, slices, sure }: LockKnowledgePorts,
  { lockId, breaker, outcomes }: { readonly lockId: LockId; readonly breaker: Breaker; readonly outcomes: StepOutcomes },
): LockKnowledge {
  let known: { readonly session: LockSession; mustList: boolean } | undefined;

  function of(session: LockSession): { mustList: boolean } {
    if (known?.session === session) return known;
    known = { session, mustList: false };
    breaker.retryAll();
    return known;
  }
  async function lookingAt(lock: Lock, session: LockSession): Promise<Looking> {
    return { lock, session, memory: memories.of(lock), view: await slices.run(views.onLock(lock)) };
  }
  async function learnt(session: LockSession): Promise<void> {
    sure.add(session);
    // Another one may have begun meanwhile.
    if (known?.session === session) known.mustList = false;
    await outcomes.judge();
  }

  return {
    async compare(said, session) {
      const lock = locks.get(lockId);
      if (lock === undefined) return;
      await undoRefused(lockId);
      const now = of(session);
      const looking = await lookingAt(lock, session);
      const isSame = await check.byDigest(looking, said, 'digest');
      const isEmpty = !isSame && said.digest !== undefined && said.count === 0;
      if (isSame || (isEmpty && (await check.byListing(looking, [])))) sure.add(session);
      else now.mustList = said.digest !== undefined && looking.memory.digest !== undefined;
      if (!sure.has(session)) return;
      await outcomes.judge();
      breaker.retryAll();
    },
    mustList: (session) => of(session).mustList,
    doubt(session, mustList) {
      sure.delete(session);
      of(session).mustList ||= mustList;
    },
    async learn(looking) {
      if (!(await check.byListing(looking))) {
        breaker.failed(listing, 'list', 'no-answer');
        return false;
      }
      await learnt(looking.session);
      breaker.succeeded(listing);
      return true;
    },
    async show(session) {
      const lock = locks.get(lockId);
      if (lock === undefined) return undefined;
      of(session);
      const looking = await lookingAt(lock, session);
      const isListed = await check.byListing(looking);
      if (link.session(lockId) !== session) throw gone();
      if (!isListed) throw untold();
      await learnt(session);
      return looking;
    },
    isIdle: () => known === undefined || sure.has(known.session),
  };
}

function gone(): DomainError {
  return new DomainError('lock-offline', 'the lock is not connected; nothing was sent');
}

function untold(): DomainError {
  return new DomainError('lock-refused', 'the lock did not list what it holds; nothing else was sent', { lockError: 'failed' });
}
