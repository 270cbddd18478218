// Checks people, their credentials and grants, and schedules.
import type { Person, Schedule } from '../../../domain/people/person.ts';
import type { Counters } from '../documents/counter-file.ts';
import { peopleName } from '../documents/person-file.ts';
import { type Report, repeated } from './verify-lines.ts';

export interface IdsOfPeople {
  readonly personId: readonly number[];
  readonly credentialId: readonly number[];
  readonly grantId: readonly number[];
  readonly scheduleId: readonly number[];
}

/**
 * `rows`: people by their keys; undefined: they could not be read, as with `schedules`. `names`: at the top of the directory. Locks and groups
 * of a grant may be gone; its schedule may not.
 */
export function verifyPeople(
  names: readonly string[],
  counters: Counters | undefined,
  rows: ReadonlyMap<string, Person> | undefined,
  schedules: readonly Schedule[] | undefined,
  report: Report,
): IdsOfPeople {
  // A directory from before there were people has neither.
  const wasThere = { [peopleName]: counters?.personId ?? 0, 'schedules.json': counters?.scheduleId ?? 0 };
  for (const [name, given] of Object.entries(wasThere)) if (given > 0 && !names.includes(name)) report(name, 'is missing');
  const people = [...(rows ?? [])];
  for (const [key, { personId }] of people)
    if (key !== `person ${personId}`) report(peopleName, `has the person ${personId} under the key ${key}`);
  const ids: IdsOfPeople = {
    personId: people.map(([, { personId }]) => personId),
    credentialId: people.flatMap(([, { credentials }]) => credentials.map(({ credentialId }) => credentialId)),
    grantId: people.flatMap(([, { grants }]) => grants.map(({ grantId }) => grantId)),
    scheduleId: (schedules ?? []).map(({ scheduleId }) => scheduleId),
  };
  for (const [kind, numbers] of Object.entries<readonly number[]>({ ...ids })) {
    for (const id of repeated(numbers)) report(kind === 'scheduleId' ? 'schedules.json' : peopleName, `has the ${kind} ${id} twice`);
  }
  const externalIds = people.flatMap(([, { externalId, removed }]) => (externalId === null || removed ? [] : [externalId]));
  for (const externalId of repeated(externalIds)) report(peopleName, `has the externalId ${externalId} twice`);
  if (schedules === undefined) return ids;
  const known = new Set(ids.scheduleId);
  for (const [, { grants }] of people) {
    for (const { grantId, scheduleId } of grants) {
      if (scheduleId !== null && !known.has(scheduleId))
        report(peopleName, `has the grant ${grantId} with the schedule ${scheduleId}, which is not there`);
    }
  }
  return ids;
}
