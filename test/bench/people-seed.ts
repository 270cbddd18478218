// A building full of people, written by the store's own code: people with cards and grants, what their locks hold, and an access log of half
// a year.

import type { AccessDraft } from '../../src/domain/access/access-log.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { CardId } from '../../src/domain/credentials/card.ts';
import { always, type Entry } from '../../src/domain/credentials/entry.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { CredentialId, GrantId, Person, PersonId } from '../../src/domain/people/person.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { createStore, type Store } from '../../src/stores/files/store.ts';
import type { DatabaseAddress } from '../../src/stores/postgres/connection.ts';
import { createPostgresStore } from '../../src/stores/postgres/store.ts';
import { clock, quiet, seedDatabase, seedDirectory, silentLog, withoutFlushes } from './seed.ts';

export interface Crowd {
  readonly locks: number;
  readonly people: number;
  /** How many locks each person's grant names. */
  readonly doorsEach: number;
  readonly accessLines: number;
}

const halfYearMs = 182 * 86_400_000;
const atOnce = 2_000;
/** Entries in one line of a file: not more than a start reads of its end. */
const entriesAtOnce = 50;

/** The number of the card of a person. */
export const cardOfPerson = (personId: number): string => String(2_000_000_000 + personId * 7_919);

/** Person n has credential n and grant n. */
export async function seedPeople(directory: string, crowd: Crowd): Promise<{ token: string }> {
  const { token } = await seedDirectory(directory, crowd.locks);
  await fill(crowd, (slowed) => createStore({ ...openWith(directory), clock: slowed, files: withoutFlushes() }));
  return { token };
}

/** The same in a database; `directory` is the data directory of the daemon on it. */
export async function seedPeopleInDatabase(address: DatabaseAddress, directory: string, crowd: Crowd): Promise<{ token: string }> {
  const { token } = await seedDatabase(address, directory, crowd.locks);
  const node = { name: 'bench', url: null, bootId: 'bench', leaseMs: 30_000 };
  await fill(crowd, (slowed) =>
    createPostgresStore({ ...openWith(directory), clock: slowed, address, node, password: async () => undefined }),
  );
  return { token };
}

const openWith = (directory: string) => ({ directory, log: silentLog, secrets: createSecrets(), onFatal: quiet });

async function fill(crowd: Crowd, open: (slowed: Clock) => Store): Promise<void> {
  // The lines come over half a year, as they would have been recorded.
  const end = clock.now();
  let lines = 0;
  const now = () => Math.floor(end - halfYearMs * (1 - lines / Math.max(1, crowd.accessLines)));
  const store = open({ ...clock, now });
  await store.start();
  const { people, entries, access } = store.ports;
  for (let n = 1; n <= crowd.people; n += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, crowd.people - n + 1) }, (_, m) => personOf(n + m, crowd));
    await Promise.all(some.map((person) => people.add(person)));
  }
  const ofLock = entriesOf(crowd);
  for (const [lockId, all] of ofLock)
    for (let n = 0; n < all.length; n += entriesAtOnce) await entries.update(lockId, () => ({ put: all.slice(n, n + entriesAtOnce) }));
  const all = [...ofLock.values()].flat();
  while (lines < crowd.accessLines && all.length > 0) {
    const some = Array.from({ length: Math.min(500, crowd.accessLines - lines) }, (_, n) =>
      lineOf(all[(lines + n) % all.length] as Entry, now(), Math.floor((lines + n) / all.length)),
    );
    await access.append(some);
    lines += some.length;
  }
  await store.stop();
}

function doorsOf(personId: number, { locks, doorsEach }: Crowd): LockId[] {
  return Array.from({ length: doorsEach }, (_, n) => (1 + ((personId * doorsEach + n) % locks)) as LockId);
}

function personOf(n: number, crowd: Crowd): Person {
  const made = { createdAt: 1_767_225_600_000, createdBy: 'admin' };
  return {
    ...{ personId: n as PersonId, externalId: `HR-${n}`, name: `Resident ${n}`, note: '', suspended: false, removed: false, ...made },
    credentials: [
      {
        ...{ credentialId: n as CredentialId, kind: 'card', number: cardOfPerson(n), width: 4, name: '', startDate: 0, endDate: 0 },
        ...{ lost: null, once: false, ...made },
      },
    ],
    grants: [
      {
        ...{ grantId: n as GrantId, lockIds: doorsOf(n, crowd), groupIds: [], startDate: 0, endDate: 0, scheduleId: null },
        ...{ excluded: [], ...made },
      },
    ],
  };
}

function entriesOf(crowd: Crowd): ReadonlyMap<LockId, readonly Entry[]> {
  const found = new Map<LockId, Entry[]>();
  let entryId = 0;
  for (let n = 1; n <= crowd.people; n++)
    for (const lockId of doorsOf(n, crowd)) {
      entryId += 1;
      const since = 1_767_225_600_000;
      const entry: Entry = {
        ...{ entryId: entryId as CardId, lockId, kind: 'card', number: cardOfPerson(n), name: `Resident ${n}` },
        ...{ createdAt: since, createdBy: 'admin', managed: true, direct: null, credentialId: n },
        held: { window: always, sure: true, since, basis: 'reply', basisDate: since },
        ...{ missing: false, used: false, accepted: null, scheduleId: null },
      };
      found.set(lockId, [...(found.get(lockId) ?? []), entry]);
    }
  return found;
}

/** Held and gone in turn; held in the end. */
function lineOf({ lockId, kind, number, entryId, credentialId, name }: Entry, at: number, round: number): AccessDraft {
  return {
    ...{
      what: round % 2 === 0 ? 'held' : 'gone',
      lockId,
      kind,
      number,
      entryId,
      credentialId,
      personId: credentialId,
      accountId: null,
      name,
    },
    ...{ notBefore: at, notAfter: at, startDate: 0, endDate: 0, hours: '', basis: 'reply', commandId: null, detail: '' },
  };
}
