// Listens to refused swipes, and remembers those whose reversed bytes are a card that is wanted on that very lock. It costs a look-up for a
// good swipe, and a hostile lock can neither grow what is remembered nor have more than a few of its swipes judged.
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { numberAtReader, type Reversal, reversalsOf } from '../credentials/byte-order.ts';
import { sameCard } from '../credentials/card.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockEntries } from '../credentials/lock-entries.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import { createKeyedRateLimiter } from '../rate-limiter.ts';
import type { RecordDraft } from '../records/record.ts';
import type { StoredEvents } from '../records/record-ports.ts';
import type { ReversedSwipe } from './suggestion.ts';

/** What speaks for a reversed reader at one lock. */
export interface Evidence {
  /** Drawn before anybody sees it. */
  readonly suggestionId: number;
  readonly since: number;
  swipes: number;
  readonly cards: Map<number, ReversedSwipe>;
}

/** The same, while its id is being drawn. */
type Gathered = Omit<Evidence, 'suggestionId'> & { suggestionId: number | undefined };

export interface ReversedSwipes {
  /** undefined: nothing, or too little. */
  of(lockId: LockId): Evidence | undefined;
  all(): Iterable<readonly [lockId: LockId, evidence: Evidence]>;
  /** The reader is treated otherwise now: what was is no evidence any more. */
  forget(lockId: LockId): void;
}

const locksAtMost = 1_000;
const cardsAtMost = 8;
/** How many refused swipes of one lock are judged. */
const judged = { perSecond: 1, burst: 20 };
/** Two different cards speak for the reader even if it gave a number as printed before. */
const enoughCards = 2;

export function createReversedSwipes(options: {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly entries: EntryStore;
  readonly counters: Pick<CounterStore, 'next'>;
  /** Whether somebody wants this entry on its lock now. */
  readonly isWanted: (entry: Entry) => boolean;
  /** Whether the reader, in its other byte order, sees this number of the entry's card. */
  readonly isSeen: (entry: Entry, swipe: Pick<ReversedSwipe, 'seen' | 'width'>) => boolean;
  /** Called when another card of this lock speaks for it. */
  readonly onCard: (lockId: LockId) => void;
}): ReversedSwipes {
  const { clock, events, entries, counters, isWanted, isSeen, onCard } = options;
  const byLock = new Map<LockId, Gathered>();
  /** Locks whose reader gave a number as it is on the lock. */
  const asPlaced = new Set<LockId>();
  const limiter = createKeyedRateLimiter<LockId>({ clock, ...judged, maxKeys: locksAtMost });

  /** A card that reads the same in both orders says nothing about the reader. */
  function opened(lockId: LockId, { credential }: RecordDraft): void {
    const known = byLock.has(lockId) || !asPlaced.has(lockId);
    if (!known || numberAtReader({ number: credential, width: null }, 'reverse') === sameCard(credential)) return;
    asPlaced.add(lockId);
    const cards: Gathered['cards'] = byLock.get(lockId)?.cards ?? new Map();
    for (const [entryId, { isDirect, seen, width }] of cards) {
      // One that was put on the lock directly may have been given with the wrong byte order, unless it is the one that opened.
      const isPlaced = numberAtReader({ number: seen, width }, 'reverse') === sameCard(credential);
      if (!isDirect || isPlaced) cards.delete(entryId);
    }
    if (cards.size === 0) byLock.delete(lockId);
  }

  function refused(lockId: LockId, { credential }: RecordDraft): void {
    if (credential === '' || !limiter.take(lockId)) return;
    const held = entries.inMemory(lockId);
    if (held !== undefined) judge(lockId, credential, held);
    else
      void entries.of(lockId).then(
        (read) => judge(lockId, credential, read),
        // Without its entries nothing is known of the lock, and its next swipe comes.
        () => undefined,
      );
  }
  function judge(lockId: LockId, credential: string, held: LockEntries): void {
    if (held.byNumber('card', credential) !== undefined) return;
    const hits = reversalsOf(credential).flatMap((reversal) => hitOf(held, sameCard(credential), reversal));
    const [hit] = hits;
    if (hit !== undefined && hits.length === 1) note(lockId, hit);
  }
  function hitOf(held: LockEntries, seen: string, { number, width }: Reversal): ReversedSwipe[] {
    const entry = held.byNumber('card', number);
    if (entry === undefined || !isSeen(entry, { seen, width }) || !isWanted(entry)) return [];
    return [{ entryId: entry.entryId, seen, width, isDirect: entry.credentialId === null }];
  }
  function note(lockId: LockId, swipe: ReversedSwipe): void {
    const evidence = byLock.get(lockId) ?? begin(lockId);
    evidence.swipes += 1;
    if (!evidence.cards.has(swipe.entryId) && evidence.cards.size >= cardsAtMost) return;
    const isNew = evidence.cards.get(swipe.entryId)?.seen !== swipe.seen;
    evidence.cards.set(swipe.entryId, swipe);
    if (isNew && isEnough(lockId, evidence)) onCard(lockId);
  }
  function begin(lockId: LockId): Gathered {
    const evidence: Gathered = { suggestionId: undefined, since: clock.now(), swipes: 0, cards: new Map() };
    void counters.next('suggestionId').then(
      (suggestionId) => {
        evidence.suggestionId = suggestionId;
        if (byLock.get(lockId) === evidence && isEnough(lockId, evidence)) onCard(lockId);
      },
      // Without an id nobody can accept it: the next swipe begins anew.
      () => byLock.get(lockId) === evidence && byLock.delete(lockId),
    );
    if (byLock.size >= locksAtMost) byLock.delete(byLock.keys().next().value as LockId);
    byLock.set(lockId, evidence);
    return evidence;
  }
  function isEnough(lockId: LockId, evidence: Gathered): evidence is Gathered & Evidence {
    if (evidence.suggestionId === undefined) return false;
    return !asPlaced.has(lockId) || evidence.cards.size >= enoughCards || [...evidence.cards.values()].some(({ isDirect }) => isDirect);
  }
  function stored({ lockId, drafts }: StoredEvents): void {
    for (const draft of drafts) {
      if (draft.type !== 'card-unlock') continue;
      if (draft.success) opened(lockId, draft);
      else if (draft.reason === undefined || draft.reason === 'unknown-card') refused(lockId, draft);
    }
  }
  function forget(lockId: LockId): void {
    byLock.delete(lockId);
    asPlaced.delete(lockId);
  }

  events.subscribe('records-stored', stored);
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before !== undefined && before.readerOrder !== after?.readerOrder) forget(before.lockId);
    else if (before !== undefined && after === undefined) forget(before.lockId);
  });

  return {
    of(lockId) {
      const evidence = byLock.get(lockId);
      return evidence !== undefined && isEnough(lockId, evidence) ? evidence : undefined;
    },
    *all() {
      for (const [lockId, evidence] of byLock) if (isEnough(lockId, evidence)) yield [lockId, evidence];
    },
    forget,
  };
}
