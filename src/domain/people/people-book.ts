// All people in memory, with an index for each question. It follows every change; a change costs what that person has, not how many there are.
import type { LockId } from '../locks/lock.ts';
import { createSortedItems } from '../sorted.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Credential, CredentialId, GrantId, Person, PersonId, ScheduleId } from './person.ts';

export interface PeopleBook extends LocalPeopleView {
  /** A person was added (`before` is undefined), changed, or forgotten (`after` is undefined). */
  changed(before: Person | undefined, after: Person | undefined): void;
  /** The highest ids that are in use; 0: none. */
  highest(): { readonly personId: number; readonly credentialId: number; readonly grantId: number };
}

const noPeople: ReadonlySet<PersonId> = new Set();

export function createPeopleBook(): PeopleBook {
  const people = createSortedItems<Person>(({ personId }) => personId);
  const byId = new Map<PersonId, Person>();
  const byExternalId = new Map<string, PersonId>();
  const byCredential = new Map<CredentialId, PersonId>();
  const byGrant = new Map<GrantId, PersonId>();
  const byCardNumber = createGroups<string>();
  const byPasscode = createGroups<string>();
  const byLock = createGroups<LockId>();
  const byGroup = createGroups<number>();
  const bySchedule = createGroups<ScheduleId>();
  const highest = { personId: 0, credentialId: 0, grantId: 0 };

  const get = (personId: PersonId | undefined): Person | undefined => (personId === undefined ? undefined : byId.get(personId));
  const peopleOf = (ids: Iterable<PersonId>): readonly Person[] =>
    Array.from(ids, (id) => byId.get(id)).filter((person) => person !== undefined);

  function leave(person: Person): void {
    if (byExternalId.get(person.externalId ?? '') === person.personId) byExternalId.delete(person.externalId ?? '');
    for (const { credentialId } of person.credentials) byCredential.delete(credentialId);
    for (const number of numbersOf(person, 'card')) byCardNumber.remove(number, person.personId);
    for (const number of numbersOf(person, 'passcode')) byPasscode.remove(number, person.personId);
    for (const { grantId } of person.grants) byGrant.delete(grantId);
    for (const [index, key] of placesOf(person)) index.remove(key, person.personId);
  }
  function enter(person: Person): void {
    const { personId } = person;
    highest.personId = Math.max(highest.personId, personId);
    if (person.externalId !== null && !person.removed) byExternalId.set(person.externalId, personId);
    for (const { credentialId } of person.credentials) {
      byCredential.set(credentialId, personId);
      highest.credentialId = Math.max(highest.credentialId, credentialId);
    }
    for (const number of numbersOf(person, 'card')) byCardNumber.add(number, personId);
    for (const number of numbersOf(person, 'passcode')) byPasscode.add(number, personId);
    for (const { grantId } of person.grants) {
      byGrant.set(grantId, personId);
      highest.grantId = Math.max(highest.grantId, grantId);
    }
    for (const [index, key] of placesOf(person)) index.add(key, personId);
  }
  /** Where the grants of a person are looked up, each place perhaps more than once. */
  function* placesOf({ grants }: Person): Iterable<readonly [Groups<number>, number]> {
    for (const { lockIds, groupIds, scheduleId } of grants) {
      for (const lockId of lockIds) yield [byLock as Groups<number>, lockId];
      for (const groupId of groupIds) yield [byGroup, groupId];
      if (scheduleId !== null) yield [bySchedule as Groups<number>, scheduleId];
    }
  }

  return {
    all: people.all,
    count: () => byId.size,
    get,
    byExternalId: (externalId) => get(byExternalId.get(externalId)),
    byCredential: (credentialId) => get(byCredential.get(credentialId)),
    byGrant: (grantId) => get(byGrant.get(grantId)),
    byCardNumbers: (numbers) => [...new Set(numbers)].flatMap((number) => peopleOf(byCardNumber.of(number)).flatMap(cardsWith(number))),
    hasPasscode: (digits) => byPasscode.of(digits).size > 0,
    reaching(lockId, groupId) {
      const [named, inGroup] = [byLock.of(lockId), groupId === 0 ? noPeople : byGroup.of(groupId)];
      return peopleOf(inGroup.size === 0 ? named : new Set([...named, ...inGroup]));
    },
    onSchedule: (scheduleId) => peopleOf(bySchedule.of(scheduleId)),
    changed(before, after) {
      if (before !== undefined) leave(before);
      if (after !== undefined) {
        people.put(after);
        byId.set(after.personId, after);
        enter(after);
      } else if (before !== undefined) {
        people.remove(before.personId);
        byId.delete(before.personId);
      }
    },
    highest: () => ({ ...highest }),
  };
}

function numbersOf({ credentials }: Person, of: Credential['kind']): readonly string[] {
  return credentials.filter(({ kind }) => kind === of).map(({ number }) => number);
}

function cardsWith(number: string): (person: Person) => readonly { readonly person: Person; readonly credential: Credential }[] {
  return (person) =>
    person.credentials.filter((one) => one.kind === 'card' && one.number === number).map((credential) => ({ person, credential }));
}

/** People under keys. */
interface Groups<Key> {
  of(key: Key): ReadonlySet<PersonId>;
  add(key: Key, personId: PersonId): void;
  remove(key: Key, personId: PersonId): void;
}

function createGroups<Key>(): Groups<Key> {
  const groups = new Map<Key, Set<PersonId>>();
  return {
    of: (key) => groups.get(key) ?? noPeople,
    add(key, personId) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([personId]));
      else group.add(personId);
    },
    remove(key, personId) {
      const group = groups.get(key);
      if (group?.delete(personId) && group.size === 0) groups.delete(key);
    },
  };
}
