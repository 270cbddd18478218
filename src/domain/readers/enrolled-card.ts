// Makes a card that was found at a reader a credential of a person.
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { everyForm } from '../credentials/byte-order.ts';
import { DomainError } from '../errors.ts';
import type { PersonStore } from '../people/people-ports.ts';
import type { Credential, CredentialId } from '../people/person.ts';
import type { AddCard } from './enrolment-service.ts';

const credentialsAtMost = 10;

/** Rejects with `card-exists` when somebody has the card meanwhile, and with `conflict` for a person with ten credentials. */
export function createAddCard(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly people: PersonStore;
  readonly counters: Pick<CounterStore, 'next'>;
}): AddCard {
  const { clock, people, counters } = options;
  return async ({ username }, personId, { number, width }) => {
    const credentialId = (await counters.next('credentialId')) as CredentialId;
    const made = { createdAt: clock.now(), createdBy: username };
    const always = { startDate: 0, endDate: 0, lost: null, once: false };
    const added: Credential = { credentialId, kind: 'card', number, width, name: '', ...always, ...made };
    await people.update(personId, (newest) => {
      if (newest.removed) throw new DomainError('not-found', `there is no person ${personId}`);
      if (people.byCardNumbers(everyForm(number)).length > 0)
        throw new DomainError('card-exists', 'a person has this card already, perhaps with its bytes in the other order');
      if (newest.credentials.length >= credentialsAtMost)
        throw new DomainError('conflict', `a person has ${credentialsAtMost} credentials at most`);
      return { ...newest, credentials: [...newest.credentials, added] };
    });
    return credentialId;
  };
}
