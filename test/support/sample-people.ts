// Random people of a small building, and what an import needs to know of it.
import fc from 'fast-check';
import type { Lock } from '../../src/domain/locks/lock.ts';
import { createLocalDays } from '../../src/domain/people/local-days.ts';
import type { Credential, Grant, Person, Schedule } from '../../src/domain/people/person.ts';
import type { ImportWorld } from '../../src/domain/people/planned-import.ts';

type NamedLock = Pick<Lock, 'lockId' | 'alias' | 'groupId' | 'groupName'>;

export const now = Date.UTC(2026, 10, 22, 12);

/** Names that are hard to write in a table are among them. */
export const sampleLocks: readonly NamedLock[] = [
  { lockId: 1, alias: 'Front door', groupId: 1, groupName: 'Ground floor' },
  { lockId: 2, alias: 'Side door', groupId: 1, groupName: 'Ground floor' },
  { lockId: 3, alias: 'Archive', groupId: 2, groupName: '=SUM(A1)' },
  { lockId: 4, alias: 'archive', groupId: 2, groupName: '=SUM(A1)' },
  { lockId: 5, alias: 'lock:1', groupId: 3, groupName: 'Name' },
  { lockId: 6, alias: '', groupId: 0, groupName: '' },
  { lockId: 7, alias: ' "Lab"; 2, east', groupId: 0, groupName: '' },
] as unknown as readonly NamedLock[];

export const sampleSchedules = [
  { scheduleId: 1, name: 'Office', hours: [] },
  { scheduleId: 2, name: 'N', hours: [] },
  { scheduleId: 3, name: 'Night, all', hours: [] },
  { scheduleId: 4, name: 'office', hours: [] },
] as unknown as readonly Schedule[];

/** UTC+1, from 29 March 2026 01:00 UTC to 25 October 2026 01:00 UTC UTC+2, as in Berlin. */
export function berlinOffset(at: number): number {
  const isSummer = at >= Date.UTC(2026, 2, 29, 1) && at < Date.UTC(2026, 9, 25, 1);
  return isSummer ? 7_200_000 : 3_600_000;
}

export function worldOf(people: readonly Person[], locks = sampleLocks, schedules = sampleSchedules): ImportWorld {
  return {
    people: {
      all: () => people,
      count: () => people.length,
      get: (personId) => people.find((person) => person.personId === personId),
      byExternalId: (externalId) => people.find((person) => person.externalId === externalId && !person.removed),
      byCardNumbers: (numbers) =>
        people.flatMap((person) =>
          person.credentials
            .filter(({ kind, number }) => kind === 'card' && numbers.includes(number))
            .map((credential) => ({ person, credential })),
        ),
    },
    locks,
    schedules,
    days: createLocalDays(berlinOffset),
    now,
  };
}

const text = fc.oneof(
  fc.constantFrom('Erika M.', '=1+1', "'=1", '-', ' blank ', 'a,b;c', 'say "so"', 'Y', 'person:3', '＝wide', "'", 'x\u00a0'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((one) => !/\p{Cc}/u.test(one) && [...one].length <= 64 && one.trim() !== ''),
);

const day = 86_400_000;
const startOf2026 = Date.UTC(2025, 11, 31, 23);
const dates = fc
  .tuple(
    fc.oneof(
      fc.constant(0),
      fc.nat(500).map((days) => startOf2026 + days * day),
      fc.integer({ min: 1, max: now }),
    ),
    fc.oneof(
      fc.constant(0),
      fc.nat(900).map((days) => startOf2026 + days * day - 1),
      fc.integer({ min: 1, max: 2 * now }),
    ),
  )
  .filter(([from, to]) => to === 0 || to >= from);

const grant = fc
  .record({
    lockIds: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
    groupIds: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
    dates,
    scheduleId: fc.constantFrom(null, null, 1, 2, 3, 4),
  })
  .filter(({ lockIds, groupIds }) => lockIds.length + groupIds.length > 0)
  .map(({ dates: [startDate, endDate], ...rest }) => ({ ...rest, startDate, endDate }));

const person = fc.record({
  externalId: fc.option(text),
  name: text,
  suspended: fc.boolean(),
  credentials: fc.array(fc.record({ kind: fc.constantFrom('card', 'card', 'passcode'), lost: fc.nat(4).map((n) => n === 0) }), {
    maxLength: 4,
  }),
  grants: fc.array(grant, { maxLength: 5 }),
});

/** People whose external ids and cards are their own. */
export const samplePeople: fc.Arbitrary<readonly Person[]> = fc
  .uniqueArray(person, { maxLength: 8, selector: ({ externalId }) => externalId ?? Symbol('none') })
  .map((people) => people.map((one, at) => personOf(one, at)));

function personOf(
  one: {
    readonly externalId: string | null;
    readonly name: string;
    readonly suspended: boolean;
    readonly credentials: readonly { readonly kind: string; readonly lost: boolean }[];
    readonly grants: readonly object[];
  },
  at: number,
): Person {
  const made = { createdAt: 1, createdBy: 'admin' };
  const credentials = one.credentials.map(({ kind, lost }, n) => ({
    ...{ credentialId: at * 10 + n, kind, number: String(1_000_003 + at * 100 + n), width: null, name: '', startDate: 0, endDate: 0 },
    ...{ lost: lost ? { at: 1, reason: '', by: '' } : null, once: false, ...made },
  })) as unknown as readonly Credential[];
  const grants = one.grants.map((grant, n) => ({ grantId: at * 10 + n, excluded: [], ...made, ...grant })) as unknown as readonly Grant[];
  return { ...one, personId: (at + 1) as Person['personId'], note: '', removed: false, ...made, credentials, grants };
}

/** All that a generator returns, without waiting in between. */
export function runAll<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
