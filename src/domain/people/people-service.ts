// People and their credentials, for access managers (HTTP API 12.3).
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { everyForm } from '../credentials/byte-order.ts';
import { newPasscode, usualDigits } from '../credentials/passcode-rules.ts';
import { DomainError } from '../errors.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { Secrets } from '../secrets.ts';
import type { GivenCredential, GrantRules } from './new-grant.ts';
import type { PersonStore } from './people-ports.ts';
import type { Credential, CredentialId, Person, PersonId } from './person.ts';
import type { PersonWrites } from './person-writes.ts';
import type { GivenPerson, NamedPasscode, WholePeople } from './whole-person.ts';

export interface PersonDescription {
  readonly name: string;
  readonly externalId: string | null;
  readonly note: string;
}

/** A passcode is made by the gateway, with so many digits. */
export type NewPersonCredential =
  | (GivenCredential & { readonly kind: 'card' })
  | (NamedPasscode & { readonly digits?: number | undefined });

/** The external person as given; of its passcodes with how many digits those are made. */
export interface ExternalPerson extends Omit<GivenPerson, 'credentials'> {
  readonly credentials: readonly NewPersonCredential[];
}

export interface MadeCredential {
  readonly credentialId: CredentialId;
  /** Of a made passcode: shown once. */
  readonly passcode: string | null;
}

/** Each rejects with `forbidden` for who is no access manager, `not-found`, and as `PersonWrites` does. */
export interface PeopleService {
  create(caller: Caller, person: PersonDescription): Promise<Person>;
  /** By personId; `search`: any part of name or externalId, or a card number in any byte order. Those that are removed are among them. */
  list(caller: Caller, search: string, page: PageRequest): Page<Person>;
  get(caller: Caller, personId: PersonId): Person;
  /** An absent member stays. Without `suspended` the person is what the locks make of the grants again. */
  change(caller: Caller, personId: PersonId, changes: Partial<PersonDescription & Pick<Person, 'suspended'>>): Promise<Person>;
  /** `made`: the passcodes that were made, by the ids of their credentials. */
  putExternal(
    caller: Caller,
    externalId: string,
    person: ExternalPerson,
  ): Promise<{ readonly person: Person; readonly isNew: boolean; readonly made: ReadonlyMap<CredentialId, string> }>;
  /** Nothing is wanted from now on; the person is forgotten when every lock has confirmed it. */
  remove(caller: Caller, personId: PersonId): Promise<void>;
  addCredential(caller: Caller, personId: PersonId, credential: NewPersonCredential): Promise<MadeCredential>;
  /** The credential is given back. */
  removeCredential(caller: Caller, personId: PersonId, credentialId: CredentialId): Promise<void>;
}

export function createPeopleService(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly people: PersonStore;
  readonly secrets: Pick<Secrets, 'newDigits'>;
  readonly writes: PersonWrites;
  readonly rules: GrantRules;
  readonly whole: WholePeople;
}): PeopleService {
  const { clock, people, secrets, writes, rules, whole } = options;

  function requirePerson(personId: PersonId): Person {
    const person = people.get(personId);
    if (person === undefined) throw new DomainError('not-found', `there is no person ${personId}`);
    return person;
  }
  /** One that nobody has. */
  function freshPasscode(digits = usualDigits): string {
    for (let tries = 0; tries < triesAtMost; tries++) {
      const code = newPasscode(secrets, digits);
      if (!people.hasPasscode(code)) return code;
    }
    throw new DomainError('conflict', `nearly all passcodes of ${digits} digits are taken: ask for more digits`);
  }
  function found(search: string): readonly Person[] {
    const text = search.toLowerCase();
    if (text === '') return people.all();
    const withCard = new Set(/^\d{4,20}$/.test(text) ? people.byCardNumbers(everyForm(text)).map(({ person }) => person.personId) : []);
    return people
      .all()
      .filter(
        ({ personId, name, externalId }) =>
          name.toLowerCase().includes(text) || externalId?.toLowerCase().includes(text) === true || withCard.has(personId),
      );
  }

  return {
    create: (caller, { name, externalId, note }) =>
      writes.add(caller, () => ({
        ...{ name, externalId, note, suspended: false, removed: false, credentials: [], grants: [] },
        ...{ createdAt: clock.now(), createdBy: caller.username },
      })),
    list(caller, search, page) {
      requireAccessRights(caller);
      return paginate(found(search), page);
    },
    get(caller, personId) {
      requireAccessRights(caller);
      return requirePerson(personId);
    },
    change: (caller, personId, changes) => writes.change(caller, personId, (newest) => ({ ...newest, ...changes })),
    async putExternal(caller, externalId, given) {
      const codes = new Map<string, string>();
      const { person, isNew } = await whole.putExternal(
        caller,
        externalId,
        given,
        (one: NamedPasscode & { digits?: number | undefined }) => {
          const code = freshPasscode(one.digits);
          codes.set(one.name, code);
          return code;
        },
      );
      const made = person.credentials.flatMap(({ credentialId, kind, name, number }): [CredentialId, string][] =>
        kind === 'passcode' && codes.get(name) === number ? [[credentialId, number]] : [],
      );
      return { person, isNew, made: new Map(made) };
    },
    async remove(caller, personId) {
      await writes.change(caller, personId, (newest) => ({ ...newest, removed: true }));
    },
    async addCredential(caller, personId, given) {
      const passcode = given.kind === 'passcode' ? freshPasscode(given.digits) : null;
      let made: Credential | undefined;
      await writes.change(caller, personId, (newest, ids) => {
        const number = given.kind === 'card' ? given.number : (passcode as string);
        made = rules.credentialOf(caller, ids.credentialId(), { ...given, number });
        return { ...newest, credentials: [...newest.credentials, made] };
      });
      return { credentialId: (made as Credential).credentialId, passcode };
    },
    async removeCredential(caller, personId, credentialId) {
      await writes.change(caller, personId, (newest) => {
        const credentials = newest.credentials.filter((one) => one.credentialId !== credentialId);
        if (credentials.length === newest.credentials.length)
          throw new DomainError('not-found', `person ${personId} has no credential ${credentialId}`);
        return { ...newest, credentials };
      });
    },
  };
}

const triesAtMost = 1_000;
