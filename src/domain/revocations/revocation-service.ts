// Reports credentials lost, and found again. A loss takes away at once whatever else is under way; its report fills itself.
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { everyForm } from '../credentials/byte-order.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import { createMutex } from '../mutex.ts';
import type { PersonStore } from '../people/people-ports.ts';
import type { Credential, CredentialId, Loss, Person } from '../people/person.ts';
import type { PersonWrites } from '../people/person-writes.ts';
import type { LostEntries } from './lost-entries.ts';
import type { Revocation, RevocationId, RevocationReport } from './revocation.ts';
import type { RevocationStore } from './revocation-ports.ts';
import type { RevocationReports } from './revocation-reports.ts';

/** For access managers. Each rejects with `forbidden`, `not-found` and `storage-unavailable`. */
export interface RevocationService {
  /** The credential is wanted nowhere any more. Idempotent: who reports it again gets the report as it is now. */
  lost(caller: Caller, credentialId: CredentialId, reason: string): Promise<RevocationReport>;
  /** The same for a card by its number, in whatever byte order, whether it belongs to a person or to nobody. */
  lostCard(caller: Caller, cardNumber: string, reason: string): Promise<RevocationReport>;
  /** The person's grants hold again; for who is manager on every lock that they reach. `conflict`: it is not lost. */
  found(caller: Caller, credentialId: CredentialId): Promise<void>;
  /** What was put on locks directly under this number stays off them. */
  foundCard(caller: Caller, cardNumber: string): Promise<void>;
  /** The newest report of this credential. */
  ofCredential(caller: Caller, credentialId: CredentialId): Promise<RevocationReport>;
  report(caller: Caller, revocationId: RevocationId): Promise<RevocationReport>;
}

/** Completes what a power cut has left half done. */
export interface RevocationRecovery {
  recover(): Promise<void>;
}

const revocationsAtMost = 20_000;

export function createRevocationService(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly people: PersonStore;
  readonly writes: Pick<PersonWrites, 'change'>;
  readonly store: RevocationStore;
  readonly counters: CounterStore;
  readonly lostEntries: LostEntries;
  readonly reports: RevocationReports;
  readonly emit: Emit;
}): RevocationService & RevocationRecovery {
  const { clock, people, writes, store, counters, lostEntries, reports, emit } = options;
  const oneByOne = createMutex();

  function newestOf(credentialId: CredentialId): Revocation | undefined {
    return store.all().findLast((one) => one.credentialId === credentialId);
  }
  function openOf(credentialId: CredentialId): Revocation | undefined {
    return store.all().find((one) => one.credentialId === credentialId && one.foundDate === null);
  }
  function requirePerson(credentialId: CredentialId): { person: Person; credential: Credential } {
    const person = people.byCredential(credentialId);
    const credential = person?.credentials.find((one) => one.credentialId === credentialId);
    if (person === undefined || credential === undefined) throw new DomainError('not-found', `there is no credential ${credentialId}`);
    return { person, credential };
  }

  async function markLost({ person, credential }: { person: Person; credential: Credential }, loss: Loss): Promise<Revocation> {
    const { credentialId, kind, number } = credential;
    await people.update(person.personId, (newest) => withLoss(newest, credentialId, loss));
    const numbers = kind === 'card' ? everyForm(number) : [];
    return openOf(credentialId) ?? begin({ credentialId, personId: person.personId, kind, numbers }, loss);
  }

  /** Stores it, and takes what was put on locks directly off them. */
  async function begin(
    lost: Pick<Revocation, 'credentialId' | 'personId' | 'kind' | 'numbers'>,
    { at: lostDate, reason, by }: Loss,
  ): Promise<Revocation> {
    const lockIds = await lostEntries.locksThatKnow(lost);
    await makeRoom();
    const revocationId = (await counters.next('revocationId')) as RevocationId;
    const revocation = { ...lost, revocationId, lostDate, reason, by, lockIds, certainDate: null, foundDate: null };
    await store.put(revocation);
    await takeBack(revocation);
    return revocation;
  }
  async function takeBack(revocation: Revocation): Promise<void> {
    const { lockIds, by } = revocation;
    await lostEntries.clear(lockIds, revocation, by);
    if (lockIds.length > 0) emit('wanted-changed', { lockIds });
  }
  async function makeRoom(): Promise<void> {
    const all = store.all();
    if (all.length < revocationsAtMost) return;
    const oldest = all.find(({ foundDate }) => foundDate !== null) ?? all.find(({ certainDate }) => certainDate !== null);
    if (oldest === undefined) throw new DomainError('conflict', `${revocationsAtMost} credentials are lost already`);
    await store.remove(oldest.revocationId);
  }
  /** The person has it again, and a power cut came before that was written here. */
  function wasFound({ credentialId }: Revocation): boolean {
    const credentials = credentialId === null ? undefined : people.byCredential(credentialId)?.credentials;
    return credentials?.some((one) => one.credentialId === credentialId && one.lost === null) === true;
  }
  const lossBy = ({ username }: Caller, reason: string): Loss => ({ at: clock.now(), reason, by: username });

  async function end(revocation: Revocation): Promise<void> {
    await store.put({ ...revocation, foundDate: clock.now() });
    // Somebody may have been given the card meanwhile, on locks that did not know it before.
    const lockIds = [...new Set([...revocation.lockIds, ...(await lostEntries.locksThatKnow(revocation))])];
    if (lockIds.length > 0) emit('wanted-changed', { lockIds });
  }
  function cardsOf(cardNumber: string) {
    return people.byCardNumbers(everyForm(cardNumber));
  }
  /** Those of nobody that have this card: their own number leads to all others. */
  function openOfCard(cardNumber: string): readonly Revocation[] {
    const forms = new Set(everyForm(cardNumber));
    return store.all().filter(({ foundDate, numbers: [own] }) => foundDate === null && own !== undefined && forms.has(own));
  }

  return {
    async lost(caller, credentialId, reason) {
      requireAccessRights(caller);
      requirePerson(credentialId);
      const revocation = await oneByOne(() => markLost(requirePerson(credentialId), lossBy(caller, reason)));
      return reports.of(caller, revocation);
    },

    async lostCard(caller, cardNumber, reason) {
      requireAccessRights(caller);
      const revocation = await oneByOne(async () => {
        const loss = lossBy(caller, reason);
        const [owned] = cardsOf(cardNumber);
        if (owned !== undefined) return markLost(owned, loss);
        const [known] = openOfCard(cardNumber);
        return known ?? begin({ credentialId: null, personId: null, kind: 'card', numbers: everyForm(cardNumber) }, loss);
      });
      return reports.of(caller, revocation);
    },

    async found(caller, credentialId) {
      requireAccessRights(caller);
      await oneByOne(async () => {
        const { person, credential } = requirePerson(credentialId);
        const open = openOf(credentialId);
        if (credential.lost === null && open === undefined) throw new DomainError('conflict', `credential ${credentialId} is not lost`);
        await writes.change(caller, person.personId, (newest) => withLoss(newest, credentialId, null));
        // Until this is written its numbers are lost, and no lock gets them.
        if (open !== undefined) await end(open);
      });
    },

    async foundCard(caller, cardNumber) {
      requireAccessRights(caller);
      await oneByOne(async () => {
        const open = openOfCard(cardNumber);
        const owned = open.find(({ credentialId }) => credentialId !== null && people.byCredential(credentialId) !== undefined);
        if (owned !== undefined) throw new DomainError('conflict', `it is the lost credential ${owned.credentialId} of a person`);
        if (open.length === 0) throw new DomainError('not-found', 'no card with this number is lost');
        for (const one of open) await end(one);
      });
    },

    async ofCredential(caller, credentialId) {
      requireAccessRights(caller);
      const newest = newestOf(credentialId);
      if (newest === undefined) throw new DomainError('not-found', `credential ${credentialId} was never reported lost`);
      return reports.of(caller, newest);
    },

    async report(caller, revocationId) {
      requireAccessRights(caller);
      const revocation = store.get(revocationId);
      if (revocation === undefined) throw new DomainError('not-found', `there is no revocation ${revocationId}`);
      return reports.of(caller, revocation);
    },

    recover: () =>
      oneByOne(async () => {
        const begun = new Set(store.all().flatMap(({ foundDate, credentialId }) => (foundDate === null ? credentialId : [])));
        for (const person of people.all())
          for (const credential of person.credentials)
            if (credential.lost !== null && !begun.has(credential.credentialId)) await markLost({ person, credential }, credential.lost);
        for (const one of store.all()) {
          if (one.foundDate !== null) continue;
          if (wasFound(one)) await end(one);
          else if (one.certainDate === null) await takeBack(one);
        }
      }),
  };
}

/** The person with this loss of a credential; a loss that is known already stays as it is. */
function withLoss(person: Person, credentialId: CredentialId, loss: Loss | null): Person {
  const credential = person.credentials.find((one) => one.credentialId === credentialId);
  if (credential === undefined) throw new DomainError('not-found', `there is no credential ${credentialId}`);
  const lost = loss === null ? null : (credential.lost ?? loss);
  if (lost === credential.lost) return person;
  return { ...person, credentials: person.credentials.map((one) => (one === credential ? { ...one, lost } : one)) };
}
