// Brings one lock step by step to what is wanted on it: learns what it holds, takes the next step, and looks again.
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { KeyedQueue } from '../keyed-queue.ts';
import { priority } from '../locks/command-service.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockLink, LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { strangersOf } from '../locks/strangers.ts';
import type { Semaphore } from '../mutex.ts';
import type { Slices } from '../people/in-slices.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { CardId } from './card.ts';
import type { EntryStore } from './entry-ports.ts';
import { followGrants } from './follow-grants.ts';
import type { LockEntries } from './lock-entries.ts';
import type { LockMemories } from './lock-memories.ts';
import type { Looking, MemoryCheck, SaidMemory } from './memory-check.ts';
import { nextStep, type Step } from './plan.ts';
import { createStepOutcomes } from './step-outcomes.ts';
import { runStep, type StepResult } from './step-runner.ts';
import type { WantedView, WantedViews } from './wanted-view.ts';

export interface LockReconcilerPorts {
  readonly clock: Clock;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: EntryStore;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly memories: LockMemories;
  readonly views: WantedViews;
  readonly check: MemoryCheck;
  /** One change of a lock's entries at a time. */
  readonly turns: Pick<KeyedQueue<LockId>, 'run'>;
  /** Stores that steps of people which the lock refused came to nothing, where the disk could not take that at once. */
  readonly undoRefused: (lockId: LockId) => Promise<void>;
  readonly isPaused: () => boolean;
  readonly clockIsSuspect: () => boolean;
  readonly emit: Emit;
  /** What is computed for one lock takes as long as there are people and entries on it. */
  readonly slices: Slices;
  /** Around each write of many entries. */
  readonly writing: Semaphore;
  /** Sessions in which what their locks hold is known. */
  readonly sure: Pick<WeakSet<LockSession>, 'has' | 'delete'> & { add(session: LockSession): void };
  /** A look has ended: nothing more is to be done now. */
  readonly looked: (lock: Lock, there: LockEntries, view: WantedView, breaker: Breaker) => Promise<void>;
}

export interface LockReconciler {
  readonly breaker: Breaker;
  /**
   * The lock has said hello: compares what it says of its memory with what is held, before anything changes in this session. Never rejects.
   */
  hello(said: SaidMemory): Promise<void>;
  /** Resolves when nothing more can be done now. Never rejects. */
  run(): Promise<void>;
  /** It is neither looking nor remembering anything that another object would not learn again. */
  isIdle(): boolean;
  /** Within a turn of this lock: the lock shows all that it holds, which ends all open steps. Rejects when it does not. */
  show(session: LockSession): Promise<void>;
  /** As `show`; then takes off what came of an add without an answer. */
  finishOpen(session: LockSession): Promise<void>;
  /** Asks the lock for all that it holds, then goes on. Resolves with whether it answered. */
  list(): Promise<boolean>;
}

/** A failed listing stands in the breaker under this id, which no entry has. */
const listing = 0 as CardId;
const turnMs = 60_000;

/** What is known of the present session. */
interface Known {
  readonly session: LockSession;
  /** The lock must show what it holds, whatever it has said. */
  mustList: boolean;
}

export function createLockReconciler(ports: LockReconcilerPorts, lockId: LockId): LockReconciler {
  const { clock, locks, entries, link, memories, views, check, turns, slices, sure, isPaused, clockIsSuspect, emit } = ports;
  const breaker = createBreaker(clock);
  const outcomes = createStepOutcomes(breaker, entries, lockId);
  let known: Known | undefined;
  let running: Promise<void> | undefined;
  let isAskedAgain = false;

  function knownOf(session: LockSession): Known {
    if (known?.session === session) return known;
    known = { session, mustList: false };
    breaker.retryAll();
    return known;
  }

  function planOf(
    { lock, memory, view }: Pick<Looking, 'lock' | 'memory' | 'view'>,
    there: Pick<LockEntries, 'entries'>,
  ): Promise<Step | undefined> {
    const step = nextStep({
      ...{ entries: there.entries, now: view.now, limits: memory.limits, wanted: view.wanted, urgency: view.urgency },
      ...{ clockIsSuspect: clockIsSuspect(), isPaused: isPaused(), strangers: strangersOf(lock), needsRoom: breaker.isFull() },
      isDeferred: ({ entryId }) => breaker.isDeferred(entryId),
      isAlone: ({ entryId }) => outcomes.isAlone(entryId),
    });
    return slices.run(step);
  }

  /** What is concluded holds for the session in which the lock said it. */
  async function compare(said: SaidMemory, session: LockSession): Promise<void> {
    const lock = locks.get(lockId);
    if (lock === undefined) return;
    await ports.undoRefused(lockId);
    const now = knownOf(session);
    const looking = { lock, session, memory: memories.of(lock), view: await slices.run(views.onLock(lock)) };
    const isSame = await check.byDigest(looking, said, 'digest');
    const isEmpty = !isSame && said.digest !== undefined && said.count === 0;
    if (isSame || (isEmpty && (await check.byListing(looking, [])))) sure.add(session);
    else now.mustList = said.digest !== undefined && looking.memory.digest !== undefined;
    if (!sure.has(session)) return;
    await outcomes.judge();
    breaker.retryAll();
  }

  /** Asks the lock what it holds. Whether that is known now, so that a step may be taken. */
  async function learn(looking: Looking, now: Known, there: LockEntries): Promise<boolean> {
    const { session } = now;
    sure.delete(session);
    // Without any reason to ask, the lock is left alone.
    const isDue = now.mustList || there.unsure.length > 0 || (await planOf(looking, there)) !== undefined;
    if (!isDue || breaker.isDeferred(listing)) return false;
    if (!(await check.byListing(looking))) {
      breaker.failed(listing, 'list', 'no-answer');
      return false;
    }
    sure.add(session);
    now.mustList = false;
    breaker.succeeded(listing);
    await outcomes.judge();
    return true;
  }

  function note(step: Step, result: StepResult, now: Known): void {
    outcomes.note(step, result);
    if (result.kind !== 'doubted') return;
    sure.delete(now.session);
    now.mustList = true;
  }

  /** One step, in a turn of its own: people's changes come in between. Whether there may be another one. */
  async function once(): Promise<boolean> {
    const lock = locks.get(lockId);
    if (lock === undefined) return false;
    // The session of now: of one that begins meanwhile the hello comes first, because it alone says whether the memory is a new one.
    const [session, beganAt] = [link.session(lockId), clock.monotonic()];
    await ports.undoRefused(lockId);
    const view = await slices.run(views.onLock(lock));
    const there = await followGrants(ports, lockId, view);
    const end = async (isDone: boolean): Promise<false> => {
      const last = await entries.of(lockId);
      breaker.looked(beganAt, (entryId) => entryId === listing || last.byId(entryId) !== undefined, isDone);
      await ports.looked(lock, last, view, breaker);
      return false;
    };
    if (link.session(lockId) !== session) return true;
    if (session === undefined) return end(false);
    const now = knownOf(session);
    const looking = { lock, session, memory: memories.of(lock), view };
    const isKnown = sure.has(session) && there.unsure.length === 0;
    if (!isKnown && !(await learn(looking, now, there))) return end(false);
    // What was learnt may be news for grants, too.
    if (!isKnown) return true;
    const step = await planOf(looking, there);
    if (step === undefined) return end(true);
    const result = await runStep(entries, looking, step);
    if (result.kind !== 'unsent' || link.session(lockId) === session) note(step, result, now);
    return true;
  }

  /** undefined: the lock is registered no more. */
  async function show(session: LockSession): Promise<Looking | undefined> {
    const lock = locks.get(lockId);
    if (lock === undefined) return undefined;
    const now = knownOf(session);
    const looking = { lock, session, memory: memories.of(lock), view: await slices.run(views.onLock(lock)) };
    const isListed = await check.byListing(looking);
    if (link.session(lockId) !== session) throw gone();
    if (!isListed) throw untold();
    sure.add(session);
    now.mustList = false;
    await outcomes.judge();
    return looking;
  }

  function report(error: unknown): void {
    emit('follow-up-failed', { lockId, step: 'settle-cards', reason: error instanceof Error ? error.message : String(error) });
  }

  async function runAll(): Promise<void> {
    do {
      isAskedAgain = false;
      try {
        for (let goesOn = true; goesOn; ) {
          goesOn = await turns.run(lockId, { priority: priority.change, deadline: clock.monotonic() + turnMs }, once);
        }
      } catch (error) {
        report(error);
        breaker.failed(listing, 'look', 'failed');
      }
    } while (isAskedAgain);
    running = undefined;
  }

  function run(): Promise<void> {
    isAskedAgain = true;
    running ??= runAll();
    return running;
  }

  return {
    breaker,
    async hello(said) {
      const session = link.session(lockId);
      if (session === undefined) return;
      const deadline = clock.monotonic() + turnMs;
      await turns.run(lockId, { priority: -1, deadline }, () => compare(said, session)).catch(report);
    },
    run,
    isIdle: () => running === undefined && !outcomes.hasDoubts() && (known === undefined || sure.has(known.session)),
    show: async (session) => void (await show(session)),
    async finishOpen(session) {
      const open = new Set((await entries.of(lockId)).unsure.map(({ entryId }) => entryId));
      const looking = await show(session);
      const left = (await entries.of(lockId)).entries.filter(({ entryId }) => open.has(entryId));
      const step = looking && (await planOf(looking, { entries: left }));
      if (looking !== undefined && step !== undefined) note(step, await runStep(entries, looking, step), knownOf(session));
    },
    async list() {
      const session = link.session(lockId);
      if (session === undefined) return false;
      const now = knownOf(session);
      sure.delete(session);
      now.mustList = true;
      breaker.succeeded(listing);
      await run();
      return sure.has(session);
    },
  };
}

function gone(): DomainError {
  return new DomainError('lock-offline', 'the lock is not connected; nothing was sent');
}

function untold(): DomainError {
  return new DomainError('lock-refused', 'the lock did not list what it holds; nothing else was sent', { lockError: 'failed' });
}
