// Forgets people who were removed, once no lock holds anything of theirs.
import type { AccessLog } from '../access/access-log.ts';
import type { Clock } from '../clock.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { EventBus } from '../event-bus.ts';
import type { Lock } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import type { Part } from '../part.ts';
import { createBreaks, type NextTurn } from './in-slices.ts';
import type { PersonStore } from './people-ports.ts';
import type { CredentialId, Person, PersonId } from './person.ts';

/**
 * The first look at a person reads what the access log says about them, each further one costs a look-up on each lock. It happens when something
 * of such a person has changed, when the disk works again, and at a start.
 */
export function createRemovedPeople(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly events: EventBus;
  readonly people: PersonStore;
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly locks: Pick<LockStore, 'all'>;
  readonly accessLog: Pick<AccessLog, 'stored' | 'entriesOf'>;
  readonly nextTurn: NextTurn;
}): Part {
  const { clock, events, people, entries, locks, accessLog, nextTurn } = options;
  const oneByOne = createMutex();
  const breakNow = createBreaks(clock, nextTurn);
  /** Those who wait for a look: what changes meanwhile needs no second one. */
  const waiting = new Set<PersonId>();
  /** Credentials that people had who are removed now, also those that were taken from them before. They get no others. */
  const hadBy = new Map<PersonId, ReadonlySet<CredentialId>>();
  const holders = new Map<CredentialId, PersonId>();

  async function credentialsOf({ personId, credentials }: Person): Promise<ReadonlySet<CredentialId>> {
    const known = hadBy.get(personId);
    if (known !== undefined) return known;
    await accessLog.stored();
    const named = (await accessLog.entriesOf(personId)).flatMap(({ credentialId }) => (credentialId as CredentialId | null) ?? []);
    const had = new Set([...credentials.map(({ credentialId }) => credentialId), ...named]);
    hadBy.set(personId, had);
    for (const credentialId of had) holders.set(credentialId, personId);
    return had;
  }
  function forget(personId: PersonId): void {
    for (const credentialId of hadBy.get(personId) ?? []) holders.delete(credentialId);
    hadBy.delete(personId);
  }
  async function isHeldOn({ lockId }: Lock, credentialIds: ReadonlySet<CredentialId>): Promise<boolean> {
    const ofLock = entries.inMemory(lockId) ?? (await entries.of(lockId));
    // An outcome that is open counts as held.
    return [...credentialIds].some((credentialId) =>
      ofLock.byCredential(credentialId).some(({ held }) => held !== null && !(held.sure && held.window === null)),
    );
  }
  async function look(personId: PersonId): Promise<void> {
    waiting.delete(personId);
    const person = people.get(personId);
    if (person?.removed !== true) return;
    const had = await credentialsOf(person);
    for (const lock of locks.all()) {
      await breakNow();
      if (await isHeldOn(lock, had)) return;
    }
    await people.remove(personId);
    forget(personId);
  }
  function lookSoon(person: Person | undefined): void {
    if (person?.removed !== true || waiting.has(person.personId)) return;
    waiting.add(person.personId);
    // When something cannot be read or the person cannot be forgotten now, the next change or start looks again.
    void oneByOne(() => look(person.personId)).catch(() => undefined);
  }
  function lookAtAll(): void {
    for (const person of people.all()) lookSoon(person);
  }
  function holderOf(credentialId: CredentialId): Person | undefined {
    const personId = holders.get(credentialId);
    return personId === undefined ? people.byCredential(credentialId) : people.get(personId);
  }

  events.subscribe('person-changed', ({ after }) => lookSoon(after));
  events.subscribe('entry-changed', ({ before, after }) => {
    // What one person had may be another's now.
    for (const entry of [before, after]) if (entry?.credentialId != null) lookSoon(holderOf(entry.credentialId as CredentialId));
  });
  events.subscribe('lock-changed', ({ after }) => {
    if (after === undefined) lookAtAll();
  });
  events.subscribe('storage-works', lookAtAll);
  return {
    name: 'removed people',
    async start() {
      lookAtAll();
    },
    async stop() {
      await oneByOne(async () => undefined);
    },
  };
}
