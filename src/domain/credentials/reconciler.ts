// Brings all locks to what is wanted on them. There is an object for each lock that needs one, and none for the others.
import type { AlarmService } from '../alarms/alarm-service.ts';
import { createDebounce } from '../debounce.ts';
import type { EventBus } from '../event-bus.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { HelloReport } from '../locks/lock-report.ts';
import { createSemaphore } from '../mutex.ts';
import type { Part } from '../part.ts';
import { createSlices, type NextTurn } from '../people/in-slices.ts';
import type { Breaker } from './breaker.ts';
import type { CardId } from './card.ts';
import type { Entry } from './entry.ts';
import { type EntryState, entryState } from './entry-status.ts';
import { type EntryStats, type EntrySummary, entrySummary, isSameCount, joinSummaries } from './entry-summary.ts';
import type { LockEntries } from './lock-entries.ts';
import { createLockReconciler, type LockReconciler, type LockReconcilerPorts } from './lock-reconciler.ts';
import { createMemoryCheck, type MemoryCheckPorts } from './memory-check.ts';
import type { WantedView } from './wanted-view.ts';

export interface Reconciler extends Part {
  /**
   * Call it at once when the lock says hello: compares what it says of its memory with what is held. Call `reconcile` when its clock is set.
   * Never rejects.
   */
  hello(lockId: LockId, report: Pick<HelloReport, 'cards' | 'credentials' | 'memory'>): Promise<void>;
  /** Something was decided about this lock, or a step about it is open: looks at once. Never rejects. */
  reconcile(lockId: LockId): Promise<void>;
  /** Within a turn of the lock of this session: it shows all that it holds, which ends all open steps. Rejects when it does not. */
  show(session: LockSession): Promise<void>;
  /** As `show`; then takes off what came of an add without an answer. */
  finishOpen(session: LockSession): Promise<void>;
  /** Asks the lock for all that it holds. Resolves with whether it answered. Never rejects. */
  list(lockId: LockId): Promise<boolean>;
  /** When this lock, in its present session, last showed all that it holds; undefined: not yet. */
  shownAt(lockId: LockId): number | undefined;
  /** What the status of each entry of this lock is, and why. */
  statesOf(lock: Lock, view: Pick<WantedView, 'now' | 'wanted' | 'urgency'>): (entry: Entry) => EntryState;
  /** How many entries of each status this lock had when it was last looked at; undefined: not since the start, or it has none. */
  countsOf(lockId: LockId): EntrySummary['byStatus'] | undefined;
  stats(): EntryStats;
}

interface ReconcilerOptions
  extends Omit<LockReconcilerPorts, 'check' | 'looked' | 'sure' | 'locks' | 'counters' | 'slices' | 'considering'>,
    Pick<MemoryCheckPorts, 'counters' | 'evidence'> {
  readonly locks: LockStore;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly alarms: Pick<AlarmService, 'raise' | 'clear'>;
  readonly nextTurn: NextTurn;
}

/** What is decided together is looked at once, and while an import is applied now and then: a look costs what there is on the lock. */
const togetherMs = { quietMs: 50, longestMs: 1_000 };
/** How many locks are looked at at once because of decisions. */
const looksAtOnce = 32;
/** How many of them compute at once what to do. */
const consideredAtOnce = 2;
const tickMs = 60_000;
/** A lock that stays online shows all that it holds so often. */
const listEveryMs = 86_400_000;
const listsPerTick = 20;

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { clock, locks, link, memories, isPaused, alarms, events, emit } = options;
  const byLock = new Map<LockId, LockReconciler>();
  const sureSince = new WeakMap<LockSession, number>();
  const sure: LockReconcilerPorts['sure'] = {
    has: (session) => sureSince.has(session),
    add: (session) => void sureSince.set(session, clock.now()),
    delete: (session) => sureSince.delete(session),
  };
  /** When the lock last showed what it holds, on the monotonic clock. */
  const shownAt = new WeakMap<LockSession, number>();
  const summaries = new Map<LockId, EntrySummary>();
  const totals = joinSummaries();
  /** When something else may be wanted, by the wall clock. */
  const edges = new Map<LockId, number>();
  const waiting = new Set<LockId>();
  let underWay = 0;
  let wake: { readonly at: number; cancel(): void } | undefined;
  let isRunning = false;

  const check = createMemoryCheck(options);
  const slices = createSlices(clock, options.nextTurn);
  const considering = createSemaphore(consideredAtOnce);

  function objectOf(lockId: LockId): LockReconciler {
    const there = byLock.get(lockId);
    if (there !== undefined) return there;
    const made = createLockReconciler({ ...options, check, sure, looked, slices, considering }, lockId);
    byLock.set(lockId, made);
    return made;
  }

  async function looked(lock: Lock, there: LockEntries, view: WantedView, breaker: Breaker): Promise<void> {
    const { lockId } = lock;
    const summary = await slices.run(entrySummary(there.entries, view, statesOf(lock, view), breaker.open()));
    if (locks.get(lockId) === undefined) return;
    const edge = summary.nextEdge;
    const before = summaries.get(lockId);
    totals.replace(before, summary);
    if (there.entries.length === 0) summaries.delete(lockId);
    else summaries.set(lockId, summary);
    raise(
      'credentials-differ',
      lockId,
      summary.differing,
      (count) => `${count} of its cards and passcodes are not as the gateway knows them`,
    );
    raise(
      'credentials-failing',
      lockId,
      summary.failing,
      (count) => `${count} of its cards and passcodes cannot be brought to what is wanted`,
    );
    if (edge === null) edges.delete(lockId);
    else edges.set(lockId, edge);
    wakeBy(Math.min(onMonotonic(edge ?? Number.POSITIVE_INFINITY), breaker.nextTry() ?? Number.POSITIVE_INFINITY));
    emit('entries-looked-at', { lockId, isOther: before !== undefined && !isSameCount(before, summary) });
  }
  function raise(
    kind: 'credentials-differ' | 'credentials-failing',
    lockId: LockId,
    count: number,
    reason: (count: number) => string,
  ): void {
    if (count === 0) alarms.clear(kind, lockId);
    else alarms.raise(kind, lockId, { reason: reason(count) });
  }

  /** Runs one lock to its end, and forgets what needs no memory. */
  async function work(lockId: LockId): Promise<void> {
    const one = objectOf(lockId);
    await one.run();
    if (one.breaker.isClear() && byLock.get(lockId) === one && one.isIdle()) byLock.delete(lockId);
  }

  const together = createDebounce(clock, togetherMs, next);
  function next(): void {
    for (const lockId of waiting) {
      if (underWay >= looksAtOnce || !isRunning) return;
      waiting.delete(lockId);
      underWay += 1;
      void work(lockId).finally(() => {
        underWay -= 1;
        next();
      });
    }
  }
  /** Looks at these locks soon, at all that is decided about them by then. */
  function soon(lockIds: Iterable<LockId>): void {
    for (const lockId of lockIds) waiting.add(lockId);
    if (isRunning && waiting.size > 0) together.ask();
  }

  function onMonotonic(date: number): number {
    return date - clock.now() + clock.monotonic();
  }
  /** One timer for everything that waits, at most a minute ahead because the wall clock may be set. */
  function wakeBy(at: number): void {
    if (!isRunning || (wake !== undefined && wake.at <= at)) return;
    wake?.cancel();
    wake = { at, cancel: clock.timer(Math.max(0, at - clock.monotonic()), tick) };
  }
  function tick(): void {
    wake = undefined;
    const now = clock.monotonic();
    for (const [lockId, at] of edges) {
      if (at > clock.now()) continue;
      edges.delete(lockId);
      waiting.add(lockId);
    }
    for (const [lockId, { breaker }] of byLock) if ((breaker.nextTry() ?? Number.POSITIVE_INFINITY) <= now) waiting.add(lockId);
    next();
    listOld(now);
    wakeBy(now + tickMs);
    for (const at of edges.values()) wakeBy(onMonotonic(at));
    for (const { breaker } of byLock.values()) wakeBy(Math.max(now + 1, breaker.nextTry() ?? Number.POSITIVE_INFINITY));
  }
  function listOld(now: number): void {
    let left = listsPerTick;
    for (const { lockId } of locks.all()) {
      const session = link.session(lockId);
      const at = session && shownAt.get(session);
      if (session === undefined || at === undefined || now - at < listEveryMs) continue;
      shownAt.set(session, now);
      void objectOf(lockId)
        .list()
        .then(() => work(lockId));
      left -= 1;
      if (left === 0) return;
    }
  }

  function statesOf(lock: Lock, view: Parameters<Reconciler['statesOf']>[1]): (entry: Entry) => EntryState {
    const breaker = byLock.get(lock.lockId)?.breaker;
    const around = {
      ...{ now: view.now, isOnline: link.session(lock.lockId) !== undefined, isPaused: isPaused(), limits: memories.of(lock).limits },
      setback: (entryId: CardId) => breaker?.setback(entryId),
      isLost: (entry: Entry) => view.urgency(entry) === 'lost',
    };
    return (entry) => entryState(entry, view.wanted(entry), around);
  }

  events.subscribe('wanted-changed', ({ lockIds }) => soon(lockIds));
  events.subscribe('capabilities-changed', ({ lockId }) => soon([lockId]));
  // The clock may be believed again, or show another time: what the dates say may be otherwise.
  events.subscribe('clocks-set', () => soon(summaries.keys()));
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before === undefined) return;
    if (after === undefined) {
      totals.replace(summaries.get(before.lockId), undefined);
      for (const one of [summaries, edges, byLock]) one.delete(before.lockId);
    } else if (before.readerOrder !== after.readerOrder || before.strangers !== after.strangers) soon([after.lockId]);
  });

  return {
    name: 'reconciler',
    async start() {
      isRunning = true;
      soon([]);
      wakeBy(clock.monotonic() + tickMs);
    },
    async stop() {
      isRunning = false;
      together.stop();
      wake?.cancel();
    },
    async hello(lockId, { cards, credentials, memory }) {
      const said = credentials ?? cards;
      if (said === undefined) return;
      const session = link.session(lockId);
      if (session !== undefined) shownAt.set(session, clock.monotonic());
      await objectOf(lockId).hello(memory === undefined ? said : { ...said, memory });
    },
    reconcile: work,
    show: (session) => objectOf(session.lockId).show(session),
    finishOpen: (session) => objectOf(session.lockId).finishOpen(session),
    list: (lockId) => objectOf(lockId).list(),
    shownAt(lockId) {
      const session = link.session(lockId);
      return session && sureSince.get(session);
    },
    statesOf,
    countsOf: (lockId) => summaries.get(lockId)?.byStatus,
    stats: totals.stats,
  };
}
