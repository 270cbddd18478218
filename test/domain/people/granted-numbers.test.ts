import { expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createGrantedNumbers } from '../../../src/domain/people/granted-numbers.ts';
import type { Grant, Person } from '../../../src/domain/people/person.ts';
import { lockId, sampleLock, samplePerson, sampleSchedule } from '../../stores/files/support/samples.ts';
import { inOneGo } from '../../support/in-one-go.ts';
import { createMemoryLocks, createMemoryPeople, createMemorySchedules } from '../../support/memory-stores.ts';

const grant = (changes: Partial<Grant>): Grant => ({
  ...{
    grantId: 1 as never,
    lockIds: [],
    groupIds: [],
    startDate: 0,
    endDate: 0,
    scheduleId: null,
    excluded: [],
    createdAt: 1,
    createdBy: 'a',
  },
  ...changes,
});

async function site(people: readonly Person[], features?: object) {
  const clock = { isSuspect: false };
  const stores = {
    people: createMemoryPeople(),
    schedules: createMemorySchedules(),
    locks: createMemoryLocks([
      sampleLock(7, { groupId: 2, ...(features && { features: { features: ['hours'], limits: features } }) }),
      sampleLock(8),
    ]).locks,
  };
  await stores.schedules.put(sampleSchedule(1));
  for (const person of people) await stores.people.add(person);
  const granted = createGrantedNumbers({ ...stores, clockIsSuspect: () => clock.isSuspect });
  const onLock = (lock: LockId, now: number) => inOneGo(granted.onLock(lock, now)).numbers;
  const windows = (now = 1_000, lock: LockId = lockId(7)) => onLock(lock, now).map((one) => [one.credentialId, one.window]);
  const nextEdge = (now: number) => inOneGo(granted.onLock(lockId(7), now)).nextEdge;
  return { ...stores, granted, clock, onLock, windows, nextEdge };
}

const [always, office] = [
  { startDate: 0, endDate: 0, hours: '', once: false },
  { startDate: 0, endDate: 0, hours: '12345:420-1140', once: false },
];

test('a grant reaches the locks that it names and those of its groups, with each credential of the person, in the hours of its schedule', async () => {
  const { onLock, nextEdge, windows } = await site([samplePerson(1, { grants: [grant({ groupIds: [2], scheduleId: 1 as never })] })]);
  expect(onLock(lockId(7), 1_000)[0]).toEqual({
    ...{ credentialId: 1, personId: 1, name: 'Person 1', grantIds: [1], kind: 'card', number: '5550001', width: null, window: office },
  });
  expect(windows()).toEqual([
    [1, office],
    [2, office],
  ]);
  expect([onLock(lockId(8), 1_000), onLock(lockId(99), 1_000), nextEdge(1_000)]).toEqual([[], [], null]);
});

test('nothing is wanted of who is suspended or removed, of a lost credential, and where one is excluded', async () => {
  const grants = [grant({ lockIds: [lockId(7)], excluded: [{ lockId: lockId(7), credentialId: 5 as never }] })];
  const lost = { at: 1, reason: '', by: 'a' };
  const [card, passcode] = samplePerson(4, { grants }).credentials;
  const { windows } = await site([
    samplePerson(1, { grants, suspended: true }),
    samplePerson(2, { grants, removed: true }),
    samplePerson(3, { grants }),
    samplePerson(4, { grants: [{ ...grants[0], grantId: 4 } as Grant], credentials: [{ ...card, lost } as never, passcode as never] }),
  ]);
  expect(windows()).toEqual([
    [6, always],
    [8, always],
  ]);
});

test('the dates of a credential bound those of its grants, and at the end of a piece the next is wanted, and at last nothing', async () => {
  const [card] = samplePerson(1).credentials;
  const { onLock, nextEdge, windows } = await site([
    samplePerson(1, {
      credentials: [{ ...card, startDate: 150, endDate: 900 } as never],
      grants: [
        grant({ lockIds: [lockId(7)], startDate: 100, endDate: 500, scheduleId: 1 as never }),
        grant({ grantId: 2 as never, groupIds: [2], startDate: 400 }),
        grant({ grantId: 3 as never, lockIds: [lockId(7)], startDate: 1_000 }),
      ],
    }),
  ]);
  expect(windows(50)).toEqual([[1, { ...office, startDate: 150, endDate: 399 }]]);
  expect(nextEdge(50)).toBe(400);
  expect(onLock(lockId(7), 400)).toMatchObject([{ grantIds: [1, 2], window: { ...always, startDate: 400, endDate: 900 } }]);
  expect([nextEdge(400), windows(901), nextEdge(901)]).toEqual([901, [], null]);
});

test('a lock that takes fewer lines of hours gets no more than it takes', async () => {
  const { windows, schedules } = await site([samplePerson(1, { credentials: samplePerson(1).credentials.slice(0, 1) })], { hours: 1 });
  const hours = [
    { days: [1, 2, 3, 4, 5], from: 420, to: 1_140 },
    { days: [6], from: 540, to: 720 },
  ];
  await schedules.put({ ...sampleSchedule(1), hours });
  expect(windows()).toEqual([[1, office]]);
});

test('while the clock is suspect no piece gives way to the next, and nothing ends by it', async () => {
  const grants = [
    grant({ lockIds: [lockId(7)], endDate: 500, scheduleId: 1 as never }),
    grant({ grantId: 2 as never, groupIds: [2], startDate: 501, endDate: 900 }),
  ];
  const people = [samplePerson(1, { grants, credentials: samplePerson(1).credentials.slice(0, 1) })];
  const { windows, clock, nextEdge } = await site(people);
  const first = [[1, { ...office, endDate: 500 }]];
  expect(windows(400)).toEqual(first);
  clock.isSuspect = true;
  expect([windows(600), windows(9e12), nextEdge(400)]).toEqual([first, first, null]);
  clock.isSuspect = false;
  expect(windows(9e12)).toEqual([]);
  const begun = await site(people);
  begun.clock.isSuspect = true;
  expect(begun.windows(9e12)).toEqual([[1, { ...always, startDate: 501, endDate: 900 }]]);
});
