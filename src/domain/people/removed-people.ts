// Forgets people who were removed, once no lock holds anything of theirs.
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { EventBus } from '../event-bus.ts';
import type { Lock } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { createMutex } from '../mutex.ts';
import type { Part } from '../part.ts';
import type { PersonStore } from './people-ports.ts';
import type { CredentialId, Person, PersonId } from './person.ts';

/** A look costs a look-up on each lock; it happens when something of such a person has changed, and at a start. */
export function createRemovedPeople(options: {
  readonly events: EventBus;
  readonly people: PersonStore;
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly locks: Pick<LockStore, 'all'>;
}): Part {
  const { events, people, entries, locks } = options;
  const oneByOne = createMutex();
  /** Those who wait for a look: what changes meanwhile needs no second one. */
  const waiting = new Set<PersonId>();

  async function isHeldOn({ lockId }: Lock, { credentials }: Person): Promise<boolean> {
    const ofLock = entries.inMemory(lockId) ?? (await entries.of(lockId));
    // An outcome that is open counts as held.
    return credentials.some(({ credentialId }) =>
      ofLock.byCredential(credentialId).some(({ held }) => held !== null && !(held.sure && held.window === null)),
    );
  }
  async function look(personId: PersonId): Promise<void> {
    waiting.delete(personId);
    const person = people.get(personId);
    if (person?.removed !== true) return;
    for (const lock of locks.all()) if (await isHeldOn(lock, person)) return;
    await people.remove(personId);
  }
  function lookSoon(person: Person | undefined): void {
    if (person?.removed !== true || waiting.has(person.personId)) return;
    waiting.add(person.personId);
    // When entries cannot be read or the person cannot be forgotten now, the next change or start looks again.
    void oneByOne(() => look(person.personId)).catch(() => undefined);
  }

  events.subscribe('person-changed', ({ after }) => lookSoon(after));
  events.subscribe('entry-changed', ({ before, after }) => {
    const credentialId = (after ?? before)?.credentialId ?? before?.credentialId;
    if (credentialId !== null && credentialId !== undefined) lookSoon(people.byCredential(credentialId as CredentialId));
  });
  events.subscribe('lock-changed', ({ after }) => {
    if (after === undefined) for (const person of people.all()) lookSoon(person);
  });
  return {
    name: 'removed people',
    async start() {
      for (const person of people.all()) lookSoon(person);
    },
    async stop() {
      await oneByOne(async () => undefined);
    },
  };
}
