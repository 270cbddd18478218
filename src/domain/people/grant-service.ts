// Grants: who may open which locks, when (HTTP API 12.4). For access managers; whoever widens one must be a manager on each lock that it reaches.
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights } from '../accounts/permissions.ts';
import { DomainError } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { GrantProgress, ProgressOf } from './grant-progress.ts';
import type { GrantWarning, WarningsOf } from './grant-warnings.ts';
import { distinct, type GivenCredential, type GivenGrant, type GrantRules } from './new-grant.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { CredentialId, Grant, GrantId, Person, PersonId } from './person.ts';
import type { PersonWrites } from './person-writes.ts';
import type { Widening } from './widening.ts';

/** A grant with the person who has it. */
export interface GrantOfPerson {
  readonly person: Person;
  readonly grant: Grant;
}

export interface MadeGrant {
  readonly grantId: GrantId;
  /** How many locks it reaches now. */
  readonly locks: number;
  readonly warnings: readonly GrantWarning[];
}

/** Which grants: those that name a lock or its group, or a group; all when both are absent. */
export interface WantedGrants {
  readonly lockId?: LockId | undefined;
  readonly groupId?: number | undefined;
}

/** Each rejects with `forbidden`, `not-found`, and as `PersonWrites` does. */
export interface GrantService {
  add(caller: Caller, personId: PersonId, given: GivenGrant): Promise<MadeGrant>;
  /** By personId and grantId. */
  list(caller: Caller, wanted: WantedGrants, page: PageRequest): Page<GrantOfPerson>;
  get(caller: Caller, grantId: GrantId): Promise<GrantOfPerson & { readonly progress: GrantProgress }>;
  /** An absent member stays. */
  change(
    caller: Caller,
    grantId: GrantId,
    changes: Partial<GivenGrant>,
  ): Promise<GrantOfPerson & { readonly progress: GrantProgress; readonly warnings: readonly GrantWarning[] }>;
  /** Resolves with the grant as it was. */
  end(caller: Caller, grantId: GrantId): Promise<GrantOfPerson>;
  /**
   * This lock is excluded from all grants of this credential: it was removed there, and stays off.
   */
  exclude(caller: Caller, lockId: LockId, credentialId: CredentialId): Promise<void>;
  /** A card that is on this lock already becomes one of the person, who gets it granted there as it is. */
  adopt(caller: Caller, personId: PersonId, lockId: LockId, card: GivenCredential): Promise<CredentialId>;
}

export function createGrantService(options: {
  readonly people: LocalPeopleView;
  readonly locks: Pick<LockStore, 'get'>;
  readonly writes: PersonWrites;
  readonly rules: GrantRules;
  readonly widening: Pick<Widening, 'locksOf'>;
  readonly warningsOf: WarningsOf;
  readonly progressOf: ProgressOf;
}): GrantService {
  const { people, locks, writes, rules, widening, warningsOf, progressOf } = options;

  function requireGrant(grantId: GrantId): GrantOfPerson {
    const person = people.byGrant(grantId);
    const grant = person?.grants.find((one) => one.grantId === grantId);
    if (person === undefined || grant === undefined) throw new DomainError('not-found', `there is no grant ${grantId}`);
    return { person, grant };
  }
  async function withProgress(found: GrantOfPerson) {
    const { person, grant } = found;
    return { ...found, progress: await progressOf(person, grant, widening.locksOf(grant)) };
  }
  /** Changes the grant in the newest version of its person; undefined ends it. */
  function remake(caller: Caller, { person, grant }: GrantOfPerson, change: (newest: Grant) => Grant | undefined): Promise<Person> {
    return writes.change(caller, person.personId, (newest) => {
      const there = newest.grants.find(({ grantId }) => grantId === grant.grantId);
      if (there === undefined) throw new DomainError('not-found', `there is no grant ${grant.grantId}`);
      const after = change(there);
      return { ...newest, grants: newest.grants.flatMap((one) => (one === there ? (after ?? []) : one)) };
    });
  }
  function matching({ lockId, groupId }: WantedGrants): readonly GrantOfPerson[] {
    const lock = lockId === undefined ? undefined : locks.get(lockId);
    if (lockId !== undefined && lock === undefined) throw new DomainError('lock-not-found', `there is no lock ${lockId}`);
    const some = lock === undefined ? people.all() : people.reaching(lock.lockId, lock.groupId).toSorted((a, b) => a.personId - b.personId);
    const isMeant = ({ lockIds, groupIds }: Grant): boolean =>
      (lock === undefined || lockIds.includes(lock.lockId) || groupIds.includes(lock.groupId)) &&
      (groupId === undefined || groupIds.includes(groupId));
    const found: GrantOfPerson[] = [];
    for (const person of some) {
      if (person.removed) continue;
      for (const grant of person.grants) if (isMeant(grant)) found.push({ person, grant });
    }
    return found;
  }

  return {
    async add(caller, personId, given) {
      let made: Grant | undefined;
      const person = await writes.change(caller, personId, (newest, ids) => {
        rules.requireGood(given, undefined);
        made = rules.grantOf(caller, ids.grantId(), given);
        return { ...newest, grants: [...newest.grants, made] };
      });
      const grant = made as Grant;
      const reached = widening.locksOf(grant);
      return { grantId: grant.grantId, locks: reached.size, warnings: warningsOf(person, grant, reached) };
    },
    list(caller, wanted, page) {
      requireAccessRights(caller);
      return paginate(matching(wanted), page);
    },
    async get(caller, grantId) {
      requireAccessRights(caller);
      return withProgress(requireGrant(grantId));
    },
    async change(caller, grantId, changes) {
      requireAccessRights(caller);
      const person = await remake(caller, requireGrant(grantId), (newest) => {
        const after = { ...newest, ...changes };
        rules.requireGood(after, newest);
        return { ...after, lockIds: distinct(after.lockIds), groupIds: distinct(after.groupIds) };
      });
      const grant = person.grants.find((one) => one.grantId === grantId) as Grant;
      return { ...(await withProgress({ person, grant })), warnings: warningsOf(person, grant, widening.locksOf(grant)) };
    },
    async end(caller, grantId) {
      requireAccessRights(caller);
      const found = requireGrant(grantId);
      await remake(caller, found, () => undefined);
      return found;
    },
    async exclude(caller, lockId, credentialId) {
      requireAccessRights(caller);
      const person = people.byCredential(credentialId);
      if (person === undefined) throw new DomainError('not-found', `there is no credential ${credentialId}`);
      const without = (grant: Grant): Grant =>
        grant.excluded.some((one) => one.lockId === lockId && one.credentialId === credentialId)
          ? grant
          : { ...grant, excluded: [...grant.excluded, { lockId, credentialId }] };
      await writes.change(caller, person.personId, (newest) => ({
        ...newest,
        grants: newest.grants.map((grant) => (widening.locksOf(grant).has(lockId) ? without(grant) : grant)),
      }));
    },
    async adopt(caller, personId, lockId, card) {
      let credentialId: CredentialId | undefined;
      await writes.change(caller, personId, (newest, ids) => {
        const credential = rules.credentialOf(caller, ids.credentialId(), card);
        credentialId = credential.credentialId;
        const { startDate, endDate } = credential;
        const given = { lockIds: [lockId], groupIds: [], startDate, endDate, scheduleId: null };
        // The other credentials of the person do not open this lock by it.
        const excluded = newest.credentials.map((one) => ({ lockId, credentialId: one.credentialId }));
        const grant = { ...rules.grantOf(caller, ids.grantId(), given), excluded };
        return { ...newest, credentials: [...newest.credentials, credential], grants: [...newest.grants, grant] };
      });
      return credentialId as CredentialId;
    },
  };
}
