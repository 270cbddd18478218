// A whole person at once, as systems that manage people and imports say it: what is not said is ended, what is said again stays as it is.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { sameCard } from '../credentials/card.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import { distinct, type GivenCredential, type GivenGrant, type GrantRules } from './new-grant.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Credential, CredentialId, Grant, Person, PersonId } from './person.ts';
import type { NewCredential, PersonTarget, TargetGrant } from './person-target.ts';
import type { NewIds, PersonWrites } from './person-writes.ts';

/** A passcode that is made when the person has none of that name. */
export interface NamedPasscode extends Omit<GivenCredential, 'number'> {
  readonly kind: 'passcode';
}

export interface GivenPerson {
  readonly name: string;
  /** Absent: it stays, or is empty. */
  readonly note?: string;
  readonly credentials: readonly ((GivenCredential & { readonly kind: 'card' }) | NamedPasscode)[];
  readonly grants: readonly GivenGrant[];
}

export interface WholePeople {
  /**
   * Makes the person whatever `given` says, or a new one; resolves with the person, and whether it is new. Cards go on when their number is the
   * same, passcodes when their name is, grants when locks, groups and schedule are; their names and dates are then changed in place. Lost
   * credentials stay, and who is suspended stays suspended. A second call changes nothing.
   */
  putExternal(
    caller: Caller,
    externalId: string,
    given: GivenPerson,
    newPasscode: (one: NamedPasscode) => string,
  ): Promise<{ readonly person: Person; readonly isNew: boolean }>;
  /** Makes the person, or a new one, what `target` says. Rejects with `conflict` when `isStill` says no to the newest version. */
  become(caller: Caller, personId: PersonId | null, target: PersonTarget, isStill?: (newest: Person) => boolean): Promise<Person>;
}

export function createWholePeople(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly people: Pick<LocalPeopleView, 'byExternalId'>;
  readonly writes: PersonWrites;
  readonly rules: GrantRules;
}): WholePeople {
  const { clock, people, writes, rules } = options;

  function grantsOf(caller: Caller, before: readonly Grant[], given: readonly TargetGrant[], ids: NewIds): readonly Grant[] {
    return given.map(({ grantId, ...one }) => {
      const known = before.find((grant) => grant.grantId === grantId);
      rules.requireGood(one, known);
      const made = rules.grantOf(caller, known?.grantId ?? ids.grantId(), one);
      return known === undefined ? made : unlessSame(known, { ...known, ...placesAndDates(made) });
    });
  }
  /** The credentials that go on and new ones, in the order in which they are said; the lost ones, which always stay, are first. */
  function withLost(before: readonly Credential[], after: readonly Credential[]): readonly Credential[] {
    return [...before.filter((one) => one.lost !== null && !after.some((other) => other.credentialId === one.credentialId)), ...after];
  }
  function credentialOf(caller: Caller, given: NewCredential, ids: NewIds): Credential {
    return rules.credentialOf(caller, ids.credentialId(), given);
  }
  const nobody = (caller: Caller, externalId: string | null): Omit<Person, 'personId'> => ({
    ...{ externalId, name: '', note: '', suspended: false, removed: false, credentials: [], grants: [] },
    ...{ createdAt: clock.now(), createdBy: caller.username },
  });

  function external(
    caller: Caller,
    before: Omit<Person, 'personId'>,
    given: GivenPerson,
    ids: NewIds,
    newPasscode: (one: NamedPasscode) => string,
  ) {
    const said = given.credentials.map((one) => ('number' in one ? `card ${sameCard(one.number)}` : `passcode ${one.name}`));
    if (new Set(said).size < said.length) throw invalidParameter('credentials', 'must say each card and each name of a passcode once');
    const credentials = given.credentials.map((one): Credential => {
      const known = before.credentials.find((other) => isSameCredential(other, one));
      const { name, startDate, endDate } = one;
      if (known === undefined) {
        const number = 'number' in one ? one.number : newPasscode(one);
        return rules.credentialOf(caller, ids.credentialId(), { ...one, number });
      }
      rules.credentialOf(caller, known.credentialId, { ...one, number: known.number });
      return known.lost === null ? unlessSame(known, { ...known, name, startDate, endDate }) : known;
    });
    const taken = new Set<number>();
    const targets = given.grants.map((one): TargetGrant => {
      const known = before.grants.find((other) => !taken.has(other.grantId) && isSameGrant(other, one));
      if (known !== undefined) taken.add(known.grantId);
      return { ...one, grantId: known?.grantId ?? null };
    });
    return {
      ...before,
      name: given.name,
      note: given.note ?? before.note,
      credentials: withLost(before.credentials, credentials),
      grants: grantsOf(caller, before.grants, targets, ids),
    };
  }
  function target(caller: Caller, before: Omit<Person, 'personId'>, { externalId, name, ...said }: PersonTarget, ids: NewIds) {
    const credentials = said.credentials.map((one) => {
      if (typeof one !== 'number') return credentialOf(caller, one, ids);
      const known = before.credentials.find(({ credentialId }) => credentialId === (one as CredentialId));
      if (known === undefined) throw new DomainError('conflict', 'the person has changed meanwhile');
      return known;
    });
    return {
      ...before,
      ...{ externalId, name },
      credentials: withLost(before.credentials, credentials),
      grants: grantsOf(caller, before.grants, said.grants, ids),
    };
  }

  return {
    async putExternal(caller, externalId, given, newPasscode) {
      const known = people.byExternalId(externalId);
      if (known === undefined) {
        const person = await writes.add(caller, (ids) => external(caller, nobody(caller, externalId), given, ids, newPasscode));
        return { person, isNew: true };
      }
      const remake = (newest: Person, ids: NewIds) =>
        unlessSame(newest, { ...newest, ...external(caller, newest, given, ids, newPasscode) });
      return { person: await writes.change(caller, known.personId, remake), isNew: false };
    },
    async become(caller, personId, said, isStill = () => true) {
      if (personId === null) return writes.add(caller, (ids) => target(caller, nobody(caller, said.externalId), said, ids));
      return writes.change(caller, personId, (newest, ids) => {
        if (!isStill(newest)) throw new DomainError('conflict', 'the person has changed meanwhile');
        return unlessSame(newest, { ...newest, ...target(caller, newest, said, ids) });
      });
    },
  };
}

function placesAndDates({ lockIds, groupIds, startDate, endDate, scheduleId }: Grant): GivenGrant {
  return { lockIds, groupIds, startDate, endDate, scheduleId };
}

function isSameCredential(known: Credential, given: GivenPerson['credentials'][number]): boolean {
  if (known.kind !== given.kind) return false;
  return 'number' in given ? known.number === sameCard(given.number) : known.name === given.name && known.lost === null;
}

function isSameGrant(known: Grant, given: GivenGrant): boolean {
  const isSame = (some: readonly number[], others: readonly number[]) => distinct(some).join() === distinct(others).join();
  return isSame(known.lockIds, given.lockIds) && isSame(known.groupIds, given.groupIds) && known.scheduleId === given.scheduleId;
}

/** `before` itself when nothing of it is other than in `after`. */
function unlessSame<T extends object>(before: T, after: T): T {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}
