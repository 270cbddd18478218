// People, grants and schedules as clients see them (HTTP API 12.3 and 12.4). A passcode is in no view but that of who made it.

import type { GrantProgress } from '../../domain/people/grant-progress.ts';
import type { GrantOfPerson, MadeGrant } from '../../domain/people/grant-service.ts';
import type { GrantWarning } from '../../domain/people/grant-warnings.ts';
import type { MadeCredential } from '../../domain/people/people-service.ts';
import type { Credential, CredentialId, Grant, Person, Schedule } from '../../domain/people/person.ts';
import type { ResponseBody } from './response-schemas.ts';

export function personRowView({ personId, name, externalId, suspended, removed, ...person }: Person): ResponseBody<'PersonRow'> {
  const { credentials, grants, createdAt } = person;
  return { personId, name, externalId, suspended, removed, credentials: credentials.length, grants: grants.length, createDate: createdAt };
}

/** `made`: passcodes that were made by this request, shown once. */
export function personView(person: Person, made: ReadonlyMap<CredentialId, string> = new Map()): ResponseBody<'Person'> {
  const { note, createdBy, credentials, grants } = person;
  return {
    ...personRowView(person),
    ...{ note, createdBy },
    credentials: credentials.map((one) => credentialView(one, made.get(one.credentialId))),
    grants: grants.map(personGrantView),
  };
}

function credentialView({ credentialId, kind, number, width, ...rest }: Credential, passcode: string | undefined) {
  const { name, startDate, endDate, lost, createdAt, createdBy } = rest;
  return {
    ...{ credentialId, kind, cardNumber: kind === 'card' ? number : null, width, name, startDate, endDate },
    lost: lost && { date: lost.at, reason: lost.reason, by: lost.by },
    ...{ createDate: createdAt, createdBy },
    ...(passcode !== undefined && { passcode }),
  };
}

function personGrantView({ grantId, lockIds, groupIds, startDate, endDate, scheduleId, createdAt, createdBy }: Grant) {
  const places = { lockIds: [...lockIds], groupIds: [...groupIds] };
  return { grantId, ...places, startDate, endDate, scheduleId, createDate: createdAt, createdBy };
}

export function grantRowView({ person, grant }: GrantOfPerson): ResponseBody<'GrantRow'> {
  return { ...personGrantView(grant), personId: person.personId, name: person.name };
}

export function grantView(
  { progress, ...found }: GrantOfPerson & { readonly progress: GrantProgress },
  warnings?: readonly GrantWarning[],
): ResponseBody<'Grant'> {
  const { wanted, onLock, pending, failed, removing, doneDate } = progress;
  return {
    ...grantRowView(found),
    progress: { wanted, 'on-lock': onLock, pending, failed, removing },
    doneDate,
    ...(warnings && { warnings: [...warnings] }),
  };
}

export function madeGrantView({ grantId, locks, warnings }: MadeGrant): ResponseBody<'MadeGrant'> {
  return { grantId, locks, warnings: [...warnings] };
}

export function madeCredentialView({ credentialId, passcode }: MadeCredential): ResponseBody<'MadeCredential'> {
  return { credentialId, ...(passcode !== null && { passcode }) };
}

export function scheduleView({ scheduleId, name, hours }: Schedule): ResponseBody<'Schedule'> {
  return { scheduleId, name, hours: hours.map(({ days, from, to }) => ({ days: [...days], from, to })) };
}
