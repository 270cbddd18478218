// The routes of people and their credentials (HTTP API 12.3).
import type { PeopleService } from '../../domain/people/people-service.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import {
  credentialOfPerson,
  externalPerson,
  newCredential,
  newPerson,
  oneExternal,
  onePerson,
  peopleList,
  personChanges,
} from './people-requests.ts';
import { madeCredentialView, personRowView, personView } from './people-views.ts';
import { pageView } from './views.ts';

const base = '/api/v1/access/people';

/** For access managers; the service checks that. */
export function peopleRoutes(people: PeopleService): readonly Route[] {
  return [
    bodyRoute('POST', base, 'createPerson', noParameters, newPerson, async ({ caller, body }) => {
      const { personId } = await people.create(caller, body);
      return created({ personId });
    }),
    route('GET', base, 'listPeople', peopleList, ({ caller, parameters: { search, page } }) =>
      ok(pageView(people.list(caller, search, page), personRowView)),
    ),
    bodyRoute(
      'PUT',
      `${base}/external/{externalId}`,
      'putExternalPerson',
      oneExternal,
      externalPerson,
      async ({ caller, parameters: { externalId }, body }) => {
        const { person, isNew, made } = await people.putExternal(caller, externalId, body);
        const answer = personView(person, made);
        return isNew ? created(answer) : ok(answer);
      },
    ),
    route('GET', `${base}/{personId}`, 'getPerson', onePerson, ({ caller, parameters: { personId } }) =>
      ok(personView(people.get(caller, personId))),
    ),
    bodyRoute('PUT', `${base}/{personId}`, 'changePerson', onePerson, personChanges, async ({ caller, parameters: { personId }, body }) =>
      ok(personView(await people.change(caller, personId, body))),
    ),
    route('DELETE', `${base}/{personId}`, 'deletePerson', onePerson, ({ caller, parameters: { personId } }) =>
      done(people.remove(caller, personId)),
    ),
    bodyRoute(
      'POST',
      `${base}/{personId}/credentials`,
      'addCredential',
      onePerson,
      newCredential,
      async ({ caller, parameters: { personId }, body }) => created(madeCredentialView(await people.addCredential(caller, personId, body))),
    ),
    route(
      'DELETE',
      `${base}/{personId}/credentials/{credentialId}`,
      'deleteCredential',
      credentialOfPerson,
      ({ caller, parameters: { personId, credentialId } }) => done(people.removeCredential(caller, personId, credentialId)),
    ),
  ];
}
