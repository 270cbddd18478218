// Learns what a lock holds: from the digest in its hello or in a reply, or from a listing of its memory.
import type { CounterStore } from '../counters.ts';
import type { Emit } from '../event-bus.ts';
import type { Lock } from '../locks/lock.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { CardId } from './card.ts';
import type { CardEvidence } from './card-evidence.ts';
import type { Basis, Entry } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { LockMemory, Shown } from './lock-memory.ts';
import { type Around, afterDigest, afterListing, afterReset, type Observation, strangerEntry } from './observed.ts';
import type { WantedView } from './wanted-view.ts';

/** How many entries one write covers: the access log and others follow all of them in one turn. */
export const entriesAtOnce = 50;

/** What a lock has said of its memory without being asked for all of it. */
export interface SaidMemory {
  readonly count: number;
  /** Absent: it says none. */
  readonly digest?: string;
  /** Names this memory: another name is another memory, in which nothing is of before. Absent: the lock has no such name. */
  readonly memory?: string;
}

export interface MemoryCheckPorts {
  readonly locks: Pick<LockStore, 'update'>;
  readonly entries: EntryStore;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly evidence: Pick<CardEvidence, 'heard'>;
  readonly emit: Emit;
}

/** One look at one lock, in its turn. */
export interface Looking {
  readonly lock: Lock;
  readonly session: LockSession;
  readonly memory: LockMemory;
  readonly view: WantedView;
}

export interface MemoryCheck {
  /** Whether what the lock said is what is held, and nothing is open any more. */
  byDigest(looking: Looking, said: SaidMemory, basis: Extract<Basis, 'digest' | 'reply'>): Promise<boolean>;
  /** Asks the lock for all that it holds, unless it has said that. false: it did not tell, or something changed meanwhile. */
  byListing(looking: Looking, listing?: readonly Shown[]): Promise<boolean>;
}

export function createMemoryCheck({ locks, entries, counters, evidence, emit }: MemoryCheckPorts): MemoryCheck {
  function around({ view }: Looking, basis: Basis): Around {
    return { now: view.now, basis, wanted: view.wanted, isGranted: view.isGranted };
  }

  /** Stores these entries where they are still what the conclusion was drawn from. false: some are others by now. */
  async function store(base: readonly Entry[], after: readonly Entry[], lock: Lock, basis: Basis): Promise<boolean> {
    let isComplete = true;
    const known = new Map(base.map((entry) => [entry.entryId, entry]));
    const finished: [before: Entry, after: Entry][] = [];
    for (let from = 0; from < after.length; from += entriesAtOnce) {
      const some = after.slice(from, from + entriesAtOnce).map((entry) => [known.get(entry.entryId), entry] as const);
      await entries.update(lock.lockId, (newest) => {
        const put = some.flatMap(([before, entry]) => (newest.byId(entry.entryId) === before ? [entry] : []));
        isComplete &&= put.length === some.length;
        return { put, proof: { basis } };
      });
      finished.push(...some.flatMap(([before, entry]): [Entry, Entry][] => (before?.held?.sure === false ? [[before, entry]] : [])));
    }
    for (const [before, entry] of finished) sayFinished(before, entry);
    return isComplete;
  }
  function sayFinished({ lockId, direct, held }: Entry, after: Entry): void {
    const intent = held?.window === null ? 'delete' : direct === null ? 'add' : 'change-validity';
    emit('card-settled', { lockId, intent, result: after.held === null ? 'not on the lock' : 'on the lock' });
    const isLeft = intent === 'add' && after.held !== null && after.createdBy === '' && after.credentialId === null;
    if (isLeft) emit('card-left-on-lock', { lockId });
  }

  /** The lock was reset, or another device took its place: `name` is stored when what follows of that is. */
  async function newMemory(looking: Looking, { count, memory: name }: SaidMemory): Promise<void> {
    const { lock, view } = looking;
    if (name === undefined || name === lock.memory) return;
    if (count === 0 && lock.memory !== undefined) {
      // An entry that changes meanwhile, by a phone or a person, was in the old memory as well.
      for (let isComplete = false; !isComplete; ) {
        const { entries: base } = await entries.of(lock.lockId);
        isComplete = await store(base, afterReset(base, view), lock, 'reset');
      }
    }
    await locks.update(lock.lockId, (newest) => ({ ...newest, memory: name }));
  }

  async function strangersOf({ lock, view }: Looking, { strangers }: Observation): Promise<void> {
    for (let from = 0; from < strangers.length; from += entriesAtOnce) {
      const found: Entry[] = [];
      for (const shown of strangers.slice(from, from + entriesAtOnce)) {
        const entryId = (await counters.next('cardId')) as CardId;
        found.push(strangerEntry(shown, { entryId, lockId: lock.lockId, now: view.now }));
      }
      await entries.update(lock.lockId, (newest) => ({
        put: found.filter(({ kind, number }) => newest.byNumber(kind, number) === undefined),
      }));
    }
    if (strangers.length > 0) emit('cards-unknown', { lockId: lock.lockId, count: strangers.length });
  }

  return {
    async byDigest(looking, said, basis) {
      const { lock, session, memory } = looking;
      if (basis === 'digest') await newMemory(looking, said);
      if (said.digest === undefined) return false;
      const { entries: base } = await entries.of(lock.lockId);
      const isDigest = (held: readonly { readonly entry: Entry; readonly window: NonNullable<Shown['window']> }[]): boolean =>
        memory.digest?.(held.map(({ entry: { kind, number }, window }) => ({ kind, number, window }))) === said.digest;
      const after = afterDigest(base, isDigest, around(looking, basis));
      if (after === undefined) {
        const known = base.filter(({ held }) => held?.window != null).length;
        if (basis === 'digest') emit('cards-differ', { lockId: lock.lockId, onLock: said.count, known });
        return false;
      }
      const isStored = await store(base, after, lock, basis);
      if (isStored) evidence.heard(session, []);
      return isStored;
    },

    async byListing(looking, said) {
      const { lock, session, memory } = looking;
      const listing = said ?? (await memory.list(session));
      if (listing === undefined) return false;
      const { entries: base } = await entries.of(lock.lockId);
      const observation = afterListing(base, listing, around(looking, 'list'));
      const isStored = await store(base, observation.put, lock, 'list');
      await strangersOf(looking, observation);
      const cards = observation.strangers.filter(({ kind }) => kind === 'card');
      evidence.heard(
        session,
        cards.map(({ number, window: { startDate, endDate } }) => ({ cardNumber: number, startDate, endDate })),
      );
      return isStored;
    },
  };
}
