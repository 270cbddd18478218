// Brings one lock step by step to what is wanted on it: learns what it holds, takes the next step, and looks again.
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import type { Emit } from '../event-bus.ts';
import type { KeyedQueue } from '../keyed-queue.ts';
import { priority } from '../locks/command-service.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { strangersOf } from '../locks/strangers.ts';
import type { Semaphore } from '../mutex.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { EntryStore } from './entry-ports.ts';
import { followGrants } from './follow-grants.ts';
import type { LockEntries } from './lock-entries.ts';
import { createLockKnowledge, type LockKnowledgePorts, listing } from './lock-knowledge.ts';
import type { Looking, SaidMemory } from './memory-check.ts';
import { nextStep, type Step } from './plan.ts';
import { createStepOutcomes } from './step-outcomes.ts';
import { runStep, type StepResult } from './step-runner.ts';
import type { WantedView } from './wanted-view.ts';

export interface LockReconcilerPorts extends LockKnowledgePorts {
  readonly clock: Clock;
  readonly entries: EntryStore;
  readonly counters: Pick<CounterStore, 'next'>;
  /** One change of a lock's entries at a time. */
  readonly turns: Pick<KeyedQueue<LockId>, 'run'>;
  readonly isPaused: () => boolean;
  readonly clockIsSuspect: () => boolean;
  readonly emit: Emit;
  /** Few locks compute at once what to do: each keeps in memory what is wanted on it, and writes many entries in one turn. */
  readonly considering: Semaphore;
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

const turnMs = 60_000;

export function createLockReconciler(ports: LockReconcilerPorts, lockId: LockId): LockReconciler {
  const { clock, locks, entries, link, memories, views, turns, slices, sure, isPaused, clockIsSuspect, emit } = ports;
  const breaker = createBreaker(clock);
  const outcomes = createStepOutcomes(breaker, entries, lockId);
  const knowledge = createLockKnowledge(ports, { lockId, breaker, outcomes });
  let running: Promise<void> | undefined;
  let isAskedAgain = false;

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

  function note(step: Step, result: StepResult, session: LockSession): void {
    outcomes.note(step, result);
    if (result.kind === 'doubted' && link.session(lockId) === session) knowledge.doubt(session, true);
  }

  /** Whether there may be something else to do, or what is to be done with the lock, after which there may be. */
  async function consider(session: LockSession | undefined): Promise<boolean | (() => Promise<boolean>)> {
    const lock = locks.get(lockId);
    if (lock === undefined) return false;
    const beganAt = clock.monotonic();
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
    const looking = { lock, session, memory: memories.of(lock), view };
    const mustList = knowledge.mustList(session);
    const isKnown = sure.has(session) && there.unsure.length === 0;
    const step = isKnown || !mustList ? await planOf(looking, there) : undefined;
    if (!isKnown) {
      knowledge.doubt(session, false);
      // Without any reason to ask, the lock is left alone.
      const isDue = mustList || there.unsure.length > 0 || step !== undefined;
      // What is learnt may be news for grants, too.
      return isDue && !breaker.isDeferred(listing) ? async () => (await knowledge.learn(looking)) || end(false) : end(false);
    }
    if (step === undefined) return end(true);
    return async () => {
      const result = await runStep(entries, looking, step);
      if (result.kind !== 'unsent' || link.session(lockId) === session) note(step, result, session);
      return true;
    };
  }

  /** One step, in a turn of its own: people's changes come in between. Whether there may be another one. */
  async function once(): Promise<boolean> {
    // That of now: of one that begins while this waits the hello comes first, because it alone says whether the memory is a new one.
    const session = link.session(lockId);
    const next = await ports.considering(() => consider(session));
    return typeof next === 'boolean' ? next : next();
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
      await turns.run(lockId, { priority: -1, deadline }, () => knowledge.compare(said, session)).catch(report);
    },
    run,
    isIdle: () => running === undefined && !outcomes.hasDoubts() && knowledge.isIdle(),
    show: async (session) => void (await knowledge.show(session)),
    async finishOpen(session) {
      const open = new Set((await entries.of(lockId)).unsure.map(({ entryId }) => entryId));
      const looking = await knowledge.show(session);
      const left = (await entries.of(lockId)).entries.filter(({ entryId }) => open.has(entryId));
      const step = looking && (await planOf(looking, { entries: left }));
      if (looking !== undefined && step !== undefined) note(step, await runStep(entries, looking, step), session);
    },
    async list() {
      const session = link.session(lockId);
      if (session === undefined) return false;
      knowledge.doubt(session, true);
      breaker.succeeded(listing);
      await run();
      return sure.has(session);
    },
  };
}
