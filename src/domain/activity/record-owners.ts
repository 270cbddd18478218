// Whose card or passcode a record names: who has it now, if that was so at its lockDate already.
import { type CardId, sameCard } from '../credentials/card.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { PersonStore } from '../people/people-ports.ts';
import type { CredentialId, Person } from '../people/person.ts';
import type { LockRecord } from '../records/record.ts';

export interface RecordOwners {
  /** The person; undefined: nobody's, or not known. */
  of(record: LockRecord): Promise<Person | undefined>;
}

export function createRecordOwners(options: {
  readonly entries: Pick<EntryStore, 'inMemory' | 'of'>;
  readonly people: Pick<PersonStore, 'byCredential' | 'byCardNumbers'>;
}): RecordOwners {
  const { entries, people } = options;

  function ownerAt(person: Person | undefined, credentialId: number | undefined, lockDate: number): Person | undefined {
    const credential = person?.credentials.find((one) => one.credentialId === credentialId);
    return credential !== undefined && credential.createdAt <= lockDate ? person : undefined;
  }
  function byCredential(credentialId: number | null | undefined, lockDate: number): Person | undefined {
    if (credentialId === null || credentialId === undefined) return undefined;
    return ownerAt(people.byCredential(credentialId as CredentialId), credentialId, lockDate);
  }

  return {
    async of({ type, credential, entryId, lockId, lockDate }) {
      if (type.startsWith('card-') && credential !== '') {
        const number = sameCard(credential);
        const held = entries.inMemory(lockId)?.byNumber('card', number);
        const [own] = people.byCardNumbers([number]);
        return byCredential(held?.credentialId, lockDate) ?? ownerAt(own?.person, own?.credential.credentialId, lockDate);
      }
      if (entryId === undefined) return undefined;
      const held = entries.inMemory(lockId) ?? (await entries.of(lockId));
      return byCredential(held.byId(entryId as CardId)?.credentialId, lockDate);
    },
  };
}
