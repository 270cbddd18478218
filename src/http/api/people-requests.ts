// What clients say of people, credentials, grants and schedules: bodies and parameters as domain values (HTTP API 12.3 and 12.4). Unknown
// members are errors.
import { z } from 'zod';
import { isInOrder } from '../../domain/credentials/card.ts';
import { anyPasscode } from '../../domain/credentials/passcode-rules.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { NewPersonCredential } from '../../domain/people/people-service.ts';
import type { CardWidth, CredentialId, GrantId, PersonId, ScheduleHours, ScheduleId } from '../../domain/people/person.ts';
import { cardNumber, id, integer, name, text, wholeNumber } from '../pipeline/fields.ts';
import { validate, whenValid } from '../pipeline/validate.ts';

const boolean = z.boolean({ error: 'must be true or false' });
const dateMs = wholeNumber(0, 8.64e15);
const ofManagement = { pageNo: integer().default(1), pageSize: integer(1, 1000).default(100) };
const personId = id<PersonId>();
const grantId = id<GrantId>();
const scheduleId = id<ScheduleId>();
const externalId = text(1, 64);
const note = text(0, 1_000, 'allowed');
const greatestId = Number.MAX_SAFE_INTEGER;

const inOrder = { path: ['endDate'], error: 'must not be before startDate', when: whenValid('startDate', 'endDate') };
const atLeastOne = { error: 'must have at least one member', when: ({ issues }: z.core.ParsePayload) => issues.length === 0 };

export const peopleList = validate(z.object({ ...ofManagement, search: text(0, 64).default('') }), ({ search, ...page }) => ({
  search,
  page,
}));
export const onePerson = validate(z.object({ personId }), (value) => value);
export const oneExternal = validate(z.object({ externalId }), (value) => value);
export const credentialOfPerson = validate(z.object({ personId, credentialId: id<CredentialId>() }), (value) => value);
export const oneGrant = validate(z.object({ grantId }), (value) => value);
export const oneSchedule = validate(z.object({ scheduleId }), (value) => value);

export const grantList = validate(
  z
    .object({ ...ofManagement, lockId: id<LockId>().exactOptional(), groupId: integer().exactOptional() })
    .refine(({ lockId, groupId }) => lockId === undefined || groupId === undefined, {
      path: ['groupId'],
      error: 'must not be there when lockId is',
      when: whenValid('lockId', 'groupId'),
    }),
  ({ lockId, groupId, ...page }) => ({ page, wanted: { lockId, groupId } }),
);

export const newPerson = validate(
  z.strictObject({ name, externalId: externalId.nullable().default(null), note: note.default('') }),
  (body) => body,
);

export const personChanges = validate(
  z
    .strictObject({
      name: name.exactOptional(),
      externalId: externalId.nullable().exactOptional(),
      note: note.exactOptional(),
      suspended: boolean.exactOptional(),
    })
    .refine((body) => Object.keys(body).length > 0, atLeastOne),
  (body) => body,
);

/** Members of both kinds; those that belong to the other kind are refused. */
const credentialMembers = {
  kind: z.enum(['card', 'passcode'], { error: 'must be card or passcode' }),
  cardNumber: cardNumber.exactOptional(),
  width: z.literal([4, 7, 8], { error: 'must be 4, 7 or 8' }).exactOptional(),
  digits: wholeNumber(anyPasscode[0], anyPasscode[1]).exactOptional(),
  name: text(0, 64).default(''),
  startDate: dateMs.default(0),
  endDate: dateMs.default(0),
};

const credential = z
  .strictObject(credentialMembers)
  .refine(isInOrder, inOrder)
  .refine(({ kind, cardNumber: number }) => kind !== 'card' || number !== undefined, {
    ...{ path: ['cardNumber'], error: 'is required', when: whenValid('kind', 'cardNumber') },
  })
  .refine(({ kind, cardNumber: number, width }) => kind === 'card' || (number === undefined && width === undefined), {
    ...{ path: ['cardNumber'], error: 'must not be there: the gateway makes passcodes', when: whenValid('kind', 'cardNumber', 'width') },
  })
  .refine(({ kind, digits }) => kind === 'passcode' || digits === undefined, {
    ...{ path: ['digits'], error: 'must not be there for a card', when: whenValid('kind', 'digits') },
  });

type GivenMembers = z.output<typeof credential>;

function credentialOf({ kind, cardNumber: number, width, digits, ...rest }: GivenMembers): NewPersonCredential {
  if (kind === 'passcode') return { kind, digits, ...rest };
  return { kind, number: number ?? '', width: (width ?? null) as CardWidth | null, ...rest };
}

export const newCredential = validate(credential, credentialOf);

const ids = <Id extends number>(what: string) =>
  z
    .array(wholeNumber(1, greatestId) as unknown as z.ZodType<Id, number>, `must be a list of ${what}`)
    .max(1_000, 'must have at most 1000 items');
const lockIds = ids<LockId>('lockIds');
const groupIds = ids<number>('groupIds');
const ofSchedule = (wholeNumber(1, greatestId) as unknown as z.ZodType<ScheduleId, number>).nullable();

const grant = z
  .strictObject({
    lockIds: lockIds.default([]),
    groupIds: groupIds.default([]),
    startDate: dateMs.default(0),
    endDate: dateMs.default(0),
    scheduleId: ofSchedule.default(null),
  })
  .refine(isInOrder, inOrder);

export const newGrant = validate(grant, (body) => body);

export const grantChanges = validate(
  z
    .strictObject({
      lockIds: lockIds.exactOptional(),
      groupIds: groupIds.exactOptional(),
      startDate: dateMs.exactOptional(),
      endDate: dateMs.exactOptional(),
      scheduleId: ofSchedule.exactOptional(),
    })
    .refine((body) => Object.keys(body).length > 0, atLeastOne),
  (body) => body,
);

export const externalPerson = validate(
  z.strictObject({
    name,
    note: note.exactOptional(),
    credentials: z.array(credential, 'must be a list').max(10, 'must have at most 10 items'),
    grants: z.array(grant, 'must be a list').max(20, 'must have at most 20 items'),
  }),
  ({ credentials, ...person }) => ({ ...person, credentials: credentials.map(credentialOf) }),
);

const line = z
  .strictObject({
    days: z.array(wholeNumber(1, 8), 'must be a list of days').min(1, 'must have at least 1 item').max(8, 'must have at most 8 items'),
    from: wholeNumber(0, 1_439),
    to: wholeNumber(1, 1_440),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after from', when: whenValid('from', 'to') })
  .transform(({ days, from, to }): ScheduleHours => ({ days: [...new Set(days)].sort((a, b) => a - b), from, to }));
const hours = z.array(line, 'must be a list').min(1, 'must have at least 1 item').max(8, 'must have at most 8 items');

export const newSchedule = validate(z.strictObject({ name, hours }), (body) => body);

export const scheduleChanges = validate(
  z.strictObject({ name: name.exactOptional(), hours: hours.exactOptional() }).refine((body) => Object.keys(body).length > 0, atLeastOne),
  (body) => body,
);

const localDate = z
  .string({ error: 'must be a date such as 2026-12-25' })
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, { error: 'must be a date such as 2026-12-25', abort: true })
  .refine(isDay, 'must be a day of the calendar');

/** 2026-02-30 would be the second of March. */
function isDay(date: string): boolean {
  const instant = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(date);
}

export const holidayDates = validate(
  z.strictObject({ dates: z.array(localDate, 'must be a list of dates').max(400, 'must have at most 400 items') }),
  (body) => body,
);
