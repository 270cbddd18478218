// Every change of a person goes through here: the caller's rights, the limits, and what no two people may share are judged in the very turn in
// which the change is made, on the newest version of the person.
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { everyForm } from '../credentials/byte-order.ts';
import { DomainError } from '../errors.ts';
import type { PersonStore } from './people-ports.ts';
import type { CredentialId, GrantId, Person, PersonId } from './person.ts';
import type { Widening } from './widening.ts';

const peopleAtMost = 20_000;
const credentialsAtMost = 10;
const grantsAtMost = 20;

/** Ids that were given for this change; it need not use them all. */
export interface NewIds {
  credentialId(): CredentialId;
  grantId(): GrantId;
}

/** Makes the person from the newest version; undefined: there is none yet. It may be called more than once. */
export type Remake = (newest: Person | undefined, ids: NewIds) => Person;

export interface PersonWrites {
  /**
   * Rejects with `forbidden`, with `card-exists` for a card that another person has in any byte order, with `conflict` beyond the limits and for
   * an externalId that another has, with `not-found`, and with what `remake` throws. Nothing is written when nothing changes.
   */
  change(caller: Caller, personId: PersonId, remake: (newest: Person, ids: NewIds) => Person): Promise<Person>;
  /** Adds the person that `remake` makes of nothing; its personId is set here. */
  add(caller: Caller, remake: (ids: NewIds) => Omit<Person, 'personId'>): Promise<Person>;
}

/** Thrown when a change needs more ids than were given. Made once: the trace of a stack costs more than the change. */
const moreIds = new Error('this change needs more ids');

export function createPersonWrites(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly people: PersonStore;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly widening: Pick<Widening, 'requireAllowed'>;
}): PersonWrites {
  const { clock, people, counters, widening } = options;
  /** What is being written and not yet to be seen: cards by their number, and externalIds. */
  const claimed = new Map<string, PersonId>();
  let adding = 0;

  /** Claims what the person has and did not have before; throws when somebody else has it. */
  function claim(before: Person | undefined, after: Person): readonly string[] {
    const { personId, externalId } = after;
    const keys: string[] = [];
    if (externalId !== null && externalId !== before?.externalId) {
      const key = `externalId ${externalId}`;
      if ((people.byExternalId(externalId)?.personId ?? claimed.get(key) ?? personId) !== personId)
        throw new DomainError('conflict', `another person has the externalId ${externalId}`);
      keys.push(key);
    }
    const had = new Set(before?.credentials.map(({ credentialId }) => credentialId));
    for (const [place, { kind, number, credentialId }] of after.credentials.entries()) {
      if (kind !== 'card' || had.has(credentialId)) continue;
      const forms = everyForm(number);
      const isTwice = after.credentials.some((one, other) => other !== place && one.kind === 'card' && forms.includes(one.number));
      if (isTwice) throw new DomainError('card-exists', 'this person has the card already, perhaps with its bytes in the other order');
      const others = people.byCardNumbers(forms).filter(({ person }) => person.personId !== personId && !person.removed);
      const isClaimed = forms.some((form) => (claimed.get(`card ${form}`) ?? personId) !== personId);
      if (others.length > 0 || isClaimed)
        throw new DomainError('card-exists', 'another person has this card, perhaps with its bytes in the other order');
      keys.push(`card ${number}`);
    }
    return keys;
  }
  function check(caller: Caller, before: Person | undefined, after: Person): readonly string[] {
    widening.requireAllowed(caller, before, after, clock.now());
    if (after.credentials.length > Math.max(credentialsAtMost, before?.credentials.length ?? 0))
      throw new DomainError('conflict', `a person has ${credentialsAtMost} credentials at most`);
    if (after.grants.length > Math.max(grantsAtMost, before?.grants.length ?? 0))
      throw new DomainError('conflict', `a person has ${grantsAtMost} grants at most`);
    const keys = claim(before, after);
    for (const key of keys) claimed.set(key, after.personId);
    return keys;
  }
  /** Calls `write` until it has as many ids as `make` needs. */
  async function withIds<T>(write: (make: <Made>(remake: (ids: NewIds) => Made) => Made) => Promise<T>): Promise<T> {
    const given = { credentialId: [] as number[], grantId: [] as number[] };
    for (;;) {
      const taken = { credentialId: 0, grantId: 0 };
      // What is made of ids that are not there yet is dropped; no two of them are the same, as of those that are there.
      const take = (kind: keyof typeof given): number => given[kind][taken[kind]++] ?? -taken[kind];
      const ids = { credentialId: () => take('credentialId') as CredentialId, grantId: () => take('grantId') as GrantId };
      try {
        return await write((remake) => {
          const made = remake(ids);
          if (taken.credentialId > given.credentialId.length || taken.grantId > given.grantId.length) throw moreIds;
          return made;
        });
      } catch (error) {
        if (error !== moreIds) throw error;
        for (const kind of ['credentialId', 'grantId'] as const)
          while (given[kind].length < taken[kind]) given[kind].push(await counters.next(kind));
      }
    }
  }
  function release(keys: readonly string[]): void {
    for (const key of keys) claimed.delete(key);
  }

  return {
    async change(caller, personId, remake) {
      requireAccessRights(caller);
      return withIds(async (make) => {
        let keys: readonly string[] = [];
        try {
          return await people.update(personId, (newest) => {
            if (newest.removed) throw new DomainError('not-found', `person ${personId} was removed`);
            const after = make((ids) => remake(newest, ids));
            if (after !== newest) keys = check(caller, newest, after);
            return after;
          });
        } finally {
          release(keys);
        }
      });
    },
    async add(caller, remake) {
      requireAccessRights(caller);
      const personId = (await counters.next('personId')) as PersonId;
      return withIds(async (make) => {
        const after = { ...make(remake), personId };
        if (people.count() + adding >= peopleAtMost) throw new DomainError('conflict', `there are ${peopleAtMost} people at most`);
        const keys = check(caller, undefined, after);
        adding += 1;
        try {
          await people.add(after);
          return after;
        } finally {
          adding -= 1;
          release(keys);
        }
      });
    },
  };
}
