// Suggestions that a reader gives the bytes of cards in the other order. Accepting one opens nothing: the lock decides about the next swipe.
// It widens nothing: one number of a card gives way to another number of the same card.
import { type Caller, roleSuffices } from '../accounts/account.ts';
import { requireAccessRights, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { numberAtReader } from '../credentials/byte-order.ts';
import type { CardId } from '../credentials/card.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { EntriesChange, EntryLookUp } from '../credentials/lock-entries.ts';
import { DomainError } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { GrantedNumbers } from '../people/granted-numbers.ts';
import type { LocalPeopleView } from '../people/people-ports.ts';
import type { CredentialId, Person } from '../people/person.ts';
import type { PersonWrites } from '../people/person-writes.ts';
import { createReversedSwipes, type Evidence } from './reversed-swipes.ts';
import type { ReversedSwipe, Suggestion } from './suggestion.ts';

export interface SuggestionService {
  /** By lockId, for the locks on which the caller is manager. Rejects with `forbidden` for all but access managers. */
  list(caller: Caller, page: PageRequest): Promise<Page<Suggestion>>;
  /**
   * For access managers who are manager on the lock, and on all locks of a person of whose card it shows how many bytes it has: other readers
   * may see another number then. Rejects with `forbidden`, and with `not-found` when nothing speaks for it any more. The lock gets the other
   * numbers when it is online, the old ones off first.
   */
  accept(caller: Caller, suggestionId: number): Promise<{ readonly lockId: LockId }>;
}

/** A swipe whose entry is still there and wanted. */
interface Hit extends ReversedSwipe {
  readonly entry: Entry;
}

export function createSuggestionService(options: {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly people: Pick<LocalPeopleView, 'byCredential'>;
  readonly writes: Pick<PersonWrites, 'change'>;
  readonly granted: Pick<GrantedNumbers, 'ofPerson'>;
  readonly counters: CounterStore;
}): SuggestionService {
  const { clock, events, locks, entries, people, writes, granted, counters } = options;
  const swipes = createReversedSwipes({ clock, events, entries, counters, isWanted, isSeen, onCard: (lockId) => void suggest(lockId) });

  function isWanted({ lockId, direct, credentialId, managed, accepted }: Entry): boolean {
    if (!managed || accepted !== null) return false;
    if (direct !== null) return true;
    const person = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId);
    return person !== undefined && granted.ofPerson(lockId, person.personId, clock.now()).some((one) => one.credentialId === credentialId);
  }
  function credentialOf(credentialId: number) {
    return people
      .byCredential(credentialId as CredentialId)
      ?.credentials.find((one) => one.credentialId === (credentialId as CredentialId));
  }
  /** The width of a person's card may be unknown so far. */
  function isSeen({ lockId, credentialId }: Entry, { seen, width }: Pick<ReversedSwipe, 'seen' | 'width'>): boolean {
    if (credentialId === null) return true;
    const [lock, card] = [locks.get(lockId), credentialOf(credentialId)];
    if (lock === undefined || card === undefined) return false;
    return numberAtReader({ number: card.number, width: card.width ?? width }, otherOrder(lock)) === seen;
  }

  async function hitsOf(lockId: LockId, { cards }: Evidence): Promise<readonly Hit[]> {
    const known = entries.inMemory(lockId) ?? (await entries.of(lockId));
    return [...cards.values()].flatMap((swipe) => {
      const entry = known.byId(swipe.entryId);
      return entry !== undefined && isWanted(entry) ? [{ ...swipe, entry }] : [];
    });
  }
  function suggestionOf(lock: Lock, evidence: Evidence, hits: readonly Hit[]): Suggestion {
    const { suggestionId, since, swipes: count } = evidence;
    const directCards = hits.filter(({ entry }) => entry.direct !== null).length;
    const readerOrder = hits.some(({ entry }) => entry.credentialId !== null) ? otherOrder(lock) : null;
    return { suggestionId, lockId: lock.lockId, kind: 'byte-order', cards: hits.length, swipes: count, since, readerOrder, directCards };
  }
  async function suggestionFor(lockId: LockId, evidence: Evidence): Promise<Suggestion[]> {
    const lock = locks.get(lockId);
    const hits = lock === undefined ? [] : await hitsOf(lockId, evidence);
    return lock === undefined || hits.length === 0 ? [] : [suggestionOf(lock, evidence, hits)];
  }
  /** Never rejects: what cannot be read now is read when somebody asks. */
  async function suggest(lockId: LockId): Promise<void> {
    const evidence = swipes.of(lockId);
    const found = evidence === undefined ? [] : await suggestionFor(lockId, evidence).catch(() => []);
    for (const suggestion of found) events.emit('suggestion-made', suggestion);
  }

  /** Those that were put on the lock directly are put there anew, under the number that this reader sees. */
  async function replaceDirect(lockId: LockId, hits: readonly Hit[]): Promise<void> {
    const direct = hits.filter(({ entry }) => entry.direct !== null);
    if (direct.length === 0) return;
    const newIds = new Map<CardId, CardId>();
    for (const { entryId } of direct) newIds.set(entryId, (await counters.next('cardId')) as CardId);
    await entries.update(lockId, (newest) => merged(direct.map((hit) => replacement(newest, hit, newIds.get(hit.entryId)))));
  }

  /** The card of a person is known to have as many bytes as were reversed. */
  async function learnWidth(caller: Caller, { entry, width }: Hit): Promise<void> {
    const { credentialId } = entry;
    const person = credentialId === null ? undefined : people.byCredential(credentialId as CredentialId);
    const known = credentialId === null ? undefined : credentialOf(credentialId);
    if (person === undefined || known === undefined || known.width !== null) return;
    // A number that is known by its smallest width needs no other.
    if (numberAtReader(known, 'reverse') === numberAtReader({ ...known, width }, 'reverse')) return;
    await writes.change(caller, person.personId, (newest) => withWidth(newest, known.credentialId, width));
  }

  return {
    async list(caller, page) {
      requireAccessRights(caller);
      const seen = [...swipes.all()].filter(([lockId]) => {
        const lock = locks.get(lockId);
        return lock !== undefined && roleSuffices(roleOn(lock, caller), 'manager');
      });
      const found: Suggestion[] = [];
      for (const [lockId, evidence] of seen.sort(([one], [other]) => one - other)) found.push(...(await suggestionFor(lockId, evidence)));
      return paginate(found, page);
    },

    async accept(caller, suggestionId) {
      requireAccessRights(caller);
      const [lockId, evidence] = [...swipes.all()].find(([, one]) => one.suggestionId === suggestionId) ?? [];
      if (lockId === undefined || evidence === undefined || locks.get(lockId) === undefined)
        throw new DomainError('not-found', `there is no suggestion ${suggestionId}`);
      const lock = requireRole(locks, caller, lockId, 'manager');
      const hits = await hitsOf(lockId, evidence);
      if (hits.length === 0) throw new DomainError('not-found', `there is no suggestion ${suggestionId}`);
      const { readerOrder } = suggestionOf(lock, evidence, hits);
      for (const hit of hits) await learnWidth(caller, hit);
      await replaceDirect(lockId, hits);
      if (readerOrder !== null) {
        await locks.update(lockId, (newest) => {
          requireRole(locks, caller, lockId, 'manager');
          return { ...newest, readerOrder };
        });
      }
      swipes.forget(lockId);
      events.emit('wanted-changed', { lockIds: [lockId] });
      return { lockId };
    },
  };
}

function otherOrder({ readerOrder = 'regular' }: Lock): 'regular' | 'reverse' {
  return readerOrder === 'regular' ? 'reverse' : 'regular';
}

/**
 * One direct card under its other number; the old one goes off, and is gone from the list then. What somebody took away at the lock stays
 * missing.
 */
function replacement(newest: EntryLookUp, { entryId, seen }: Hit, newId: CardId | undefined): EntriesChange {
  const entry = newest.byId(entryId);
  if (entry?.direct == null || newId === undefined || newest.byNumber('card', seen) !== undefined) return {};
  const isNothingElse = entry.held === null && entry.credentialId === null;
  const moved: Entry = { ...entry, entryId: newId, number: seen, credentialId: null, held: null, accepted: null };
  return isNothingElse ? { put: [moved], remove: [entryId] } : { put: [moved, { ...entry, direct: null }] };
}

function merged(changes: readonly EntriesChange[]): EntriesChange {
  return { put: changes.flatMap(({ put = [] }) => put), remove: changes.flatMap(({ remove = [] }) => remove) };
}

function withWidth(person: Person, credentialId: CredentialId, width: ReversedSwipe['width']): Person {
  return { ...person, credentials: person.credentials.map((one) => (one.credentialId === credentialId ? { ...one, width } : one)) };
}
