// A reconciler over a store in memory, a clock that a test sets, and one lock with a memory for cards and passcodes.
import { createHash } from 'node:crypto';
import { createCardEvidence } from '../../../../src/domain/credentials/card-evidence.ts';
import type { Entry, EntryStatus } from '../../../../src/domain/credentials/entry.ts';
import { createLockMemories } from '../../../../src/domain/credentials/lock-memories.ts';
import { createReconciler } from '../../../../src/domain/credentials/reconciler.ts';
import { createWantedViews } from '../../../../src/domain/credentials/wanted-view.ts';
import { createKeyedQueue } from '../../../../src/domain/keyed-queue.ts';
import { endlessLease } from '../../../../src/domain/lease.ts';
import { createCommandService } from '../../../../src/domain/locks/command-service.ts';
import { createDriverTable } from '../../../../src/domain/locks/driver-table.ts';
import type { DeviceId, Lock, LockId } from '../../../../src/domain/locks/lock.ts';
import { createStallDetector } from '../../../../src/domain/locks/stall-detector.ts';
import type { GrantedNumber } from '../../../../src/domain/people/granted-numbers.ts';
import type { CredentialId, PersonId } from '../../../../src/domain/people/person.ts';
import { samplePerson } from '../../../stores/files/support/samples.ts';
import { createCredentialMemory } from '../../../support/credential-memory.ts';
import { createFakeCommandIds, lockId, someLock } from '../../../support/domain.ts';
import { createFakeLink } from '../../../support/fake-link.ts';
import { inOneGo } from '../../../support/in-one-go.ts';
import { createMemoryCounters, createMemoryLocks } from '../../../support/memory-stores.ts';
import { createNotedEvents } from '../../../support/noted-events.ts';
import { createSettableClock } from '../../../support/settable-clock.ts';

/** A granted card, always valid. */
export function someGranted(credentialId: number, some: Partial<GrantedNumber> = {}): GrantedNumber {
  return {
    ...{ credentialId: credentialId as CredentialId, personId: 1 as PersonId, name: `Person ${credentialId}`, grantIds: [] },
    ...{ kind: 'card', number: String(7_770_000 + credentialId), width: null },
    window: { startDate: 0, endDate: 0, hours: '', once: false },
    ...some,
  };
}

export async function createReconciled(some: Partial<Lock> = {}) {
  const clock = createSettableClock();
  const { events, emit, notices } = createNotedEvents();
  const lock = someLock({ features: { features: ['credentials', 'hours', 'once'], limits: {} }, ...some });
  const others = [101, 102].map((id) => someLock({ lockId: id as LockId, deviceId: `b00000000${id}` as DeviceId }));
  const { locks, entries } = createMemoryLocks([lock, ...others], emit);
  const memoryCounters = createMemoryCounters();
  const counters = { next: async (kind: 'cardId') => 1_000 + (await memoryCounters.next(kind)) };
  const link = createFakeLink({ clock });
  const drivers = createDriverTable({ locks });
  const capabilities = { ...drivers.capabilities(lock), cards: true, passcodes: true, hours: true, once: true, query: true };
  const commands = createCommandService({
    lease: endlessLease,
    ...{ clock, link, emit, commandIds: createFakeCommandIds(), commandTimeoutMs: 10_000 },
    stallDetector: createStallDetector({ clock, emit, commandTimeoutMs: 10_000 }),
  });
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const grants: GrantedNumber[] = [];
  const lost = new Set<string>();
  const lostCredentials = new Set<number>();
  const suspended = new Set<number>();
  const state = { isPaused: false, clockIsSuspect: false, nextEdge: null as number | null };
  const alarms = new Set<string>();
  /** Until when the looks at other locks take. */
  let othersEnd = Promise.resolve();
  /** What happens before the next slice. */
  const turns: (() => Promise<void>)[] = [() => Promise.resolve()];
  const views = createWantedViews({
    clock,
    granted: {
      *onLock() {
        yield undefined;
        return { numbers: grants, nextEdge: state.nextEdge };
      },
      ofPerson: (_lockId, personId) => grants.filter((one) => one.personId === personId),
    },
    people: {
      byCredential: (id) => (grants.some(({ credentialId }) => credentialId === id) ? samplePerson(1) : undefined),
      byCardNumbers: () => [],
    },
    hoursOfSchedule: () => undefined,
    decisions: {
      isLost: (number) => lost.has(number),
      isLostCredential: (credentialId) => lostCredentials.has(credentialId),
      isRevoked: (credentialId) => suspended.has(credentialId),
    },
  });
  const reconciler = createReconciler({
    ...{ clock, locks, entries, link, views, emit, events, counters: counters as typeof memoryCounters },
    memories: createLockMemories({ clock, commands, hash, drivers: { capabilities: () => capabilities, passcodeForm: () => undefined } }),
    turns: createKeyedQueue<LockId>({ clock, limit: 16 }),
    evidence: createCardEvidence(link),
    alarms: { raise: (kind) => void alarms.add(kind), clear: (kind) => void alarms.delete(kind) },
    undoRefused: (id) => (id === lockId ? Promise.resolve() : othersEnd),
    isPaused: () => state.isPaused,
    clockIsSuspect: () => state.clockIsSuspect,
    nextTurn: () => turns[0]?.() ?? Promise.resolve(),
  });
  await reconciler.start();
  const memory = createCredentialMemory();
  let epoch = 'first';

  async function hello(): Promise<void> {
    link.connect(lockId, memory.replier);
    void reconciler.hello(lockId, { credentials: memory.said(), memory: epoch });
    void reconciler.reconcile(lockId);
    await clock.advance(0);
    for (let round = 0; round < 20; round++) await clock.advance(1);
  }
  return {
    ...{
      clock,
      events,
      turns,
      notices,
      locks,
      entries,
      link,
      memory,
      grants,
      lost,
      lostCredentials,
      suspended,
      state,
      alarms,
      reconciler,
      emit,
      commands,
      hello,
    },
    /** Looks at other locks go on, so that a look at this one waits. Returns what ends them. */
    async lookAtOthers(): Promise<() => void> {
      let end = (): void => undefined;
      othersEnd = new Promise((resolve) => {
        end = resolve;
      });
      emit('wanted-changed', { lockIds: others.map((one) => one.lockId) });
      for (let round = 0; round < 20; round++) await clock.advance(5);
      return end;
    },
    /** Everything that was asked for so far is done, as far as no time has to pass for it. */
    async idle() {
      for (let round = 0; round < 20; round++) await clock.advance(5);
    },
    async wanted() {
      emit('wanted-changed', { lockIds: [lockId] });
      for (let round = 0; round < 20; round++) await clock.advance(5);
    },
    async given(...all: readonly Entry[]) {
      await entries.update(lockId, () => ({ put: all }));
      memory.put(...all.flatMap(({ kind, number, held }) => (held?.window == null ? [] : [{ kind, number, ...held.window }])));
    },
    /** The lock forgets everything, and says so by another name of its memory. */
    wipe() {
      memory.clear();
      epoch = `${epoch} again`;
    },
    /** The commands about its memory since the last call. */
    sent() {
      const ops = link.ops().filter((op) => op.endsWith('-credentials') || op.endsWith('-cards'));
      link.sent.length = 0;
      return ops;
    },
    view: (of: Lock) => inOneGo(views.onLock(of)),
    statuses(): readonly EntryStatus[] {
      const there = entries.inMemory(lockId)?.entries ?? [];
      const now = locks.get(lockId) ?? lock;
      const statusOf = reconciler.statesOf(now, inOneGo(views.onLock(now)));
      return there.map((entry) => statusOf(entry).status);
    },
  };
}
