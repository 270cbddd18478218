// Locks, entries, people and accounts in memory, and the access log over them.
import { createAccessRecorder } from '../../src/domain/access/access-recorder.ts';
import type { AccountId } from '../../src/domain/accounts/account.ts';
import type { CardId } from '../../src/domain/credentials/card.ts';
import { always, type Entry, type Held, type ValidWindow } from '../../src/domain/credentials/entry.ts';
import { createEventBus } from '../../src/domain/event-bus.ts';
import type { Lock, LockId } from '../../src/domain/locks/lock.ts';
import type { Person } from '../../src/domain/people/person.ts';
import { someLock } from './domain.ts';
import { createMemoryAccessLog, type MemoryAccessLog } from './memory-access-log.ts';
import { createMemoryAccounts, createMemoryLocks, createMemoryPeople } from './memory-stores.ts';
import { createSettableClock } from './settable-clock.ts';

export const doorSeven = 7 as LockId;

/** A card on lock 7 by itself; what it holds as wanted. */
export function someEntry(entryId: number, more: Partial<Entry> = {}): Entry {
  return {
    entryId: entryId as CardId,
    lockId: doorSeven,
    kind: 'card',
    number: `1000${entryId}`,
    name: `Card ${entryId}`,
    createdAt: 1_000,
    createdBy: 'admin',
    managed: true,
    direct: always,
    credentialId: null,
    held: null,
    missing: false,
    used: false,
    accepted: null,
    scheduleId: null,
    ...more,
  };
}

export function heldSince(since: number, window: ValidWindow | null = always, more: Partial<Held> = {}): Held {
  return { window, sure: true, since, basis: 'reply', basisDate: since, ...more };
}

export type AccessDomain = Awaited<ReturnType<typeof createAccessDomain>>;

export async function createAccessDomain(initial: readonly Lock[] = [someLock()]) {
  const clock = createSettableClock();
  const events = createEventBus((name, error) => {
    throw new Error(`a subscriber of ${name} failed`, { cause: error });
  });
  const log = createMemoryAccessLog(clock.now);
  const { locks, entries } = createMemoryLocks(initial, events.emit);
  const names = ['admin', 'ada', 'max', 'ole'];
  const accounts = createMemoryAccounts(
    names.map((username, n) => ({
      accountId: (n + 1) as AccountId,
      username,
      gatewayAdministrator: n === 0,
      accessManager: false,
      createdAt: 1,
    })),
    events.emit,
  );
  const people = createMemoryPeople(events.emit);
  /** Of a process that begins with these lines; it hears what happens from now on. */
  const createRecorder = (lines: MemoryAccessLog, nextTurn = () => Promise.resolve()) =>
    createAccessRecorder({ clock, events, log: lines, locks, entries, accounts, people, nextTurn });
  return {
    clock,
    events,
    log,
    locks,
    entries,
    accounts,
    people,
    createRecorder,
    recorder: createRecorder(log),
    put: (...all: Entry[]) => entries.update(all[0]?.lockId ?? doorSeven, () => ({ put: all })),
    drop: (entryId: number) => entries.update(doorSeven, () => ({ remove: [entryId as CardId] })),
    addPerson: (person: Partial<Person>) => people.add(person as Person),
  };
}
