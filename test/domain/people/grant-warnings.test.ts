import { expect, test } from '@jest/globals';
import type { Capabilities } from '../../../src/domain/locks/capabilities.ts';
import { createGrantWarnings } from '../../../src/domain/people/grant-warnings.ts';
import { lockId, sampleLock, samplePerson, sampleSchedule } from '../../stores/files/support/samples.ts';

test('each lock that cannot do what a grant says is named, with what it cannot, and one that can is not', () => {
  const able = { cards: true, passcodes: true, hours: true };
  const can: Readonly<Record<number, Partial<Capabilities>>> = {
    1: able,
    2: { ...able, passcodes: false },
    3: { ...able, hours: false },
    4: { ...able, cards: false },
    5: able,
    6: able,
    7: able,
  };
  const keypad = (pattern: RegExp) => ({ digits: [6, 6] as const, pattern, rule: 'must be six digits from 1 to 9' });
  const limits = { passcodeDigits: [4, 5], hours: 1 } as const;
  const hours = [...sampleSchedule(1).hours, { days: [7], from: 0, to: 60 }];
  const warningsOf = createGrantWarnings({
    locks: { get: (id) => (id === 9 ? undefined : sampleLock(id, id === 5 ? { features: { features: ['hours'], limits } } : {})) },
    drivers: {
      capabilities: ({ lockId: id }) => can[id] as Capabilities,
      // The keypad of another make; the passcode of the person begins with a zero.
      passcodeForm: ({ lockId: id }) => ({ 6: keypad(/^[1-9]{6}$/), 7: keypad(/^\d{6}$/) })[id as number],
    },
    schedules: { get: (scheduleId) => ({ ...sampleSchedule(1), scheduleId, hours }) },
  });
  const person = samplePerson(1);
  const [grant] = person.grants;
  const warned = (number: number) => warningsOf(person, grant as never, [lockId(number)]).map(({ code, message }) => `${code}: ${message}`);
  expect([1, 2, 3, 4, 5, 6, 7, 9].map(warned)).toEqual([
    [],
    ['not-supported: has no keypad'],
    ['not-supported: has no schedules'],
    ['not-supported: takes no cards'],
    ['not-supported: takes passcodes of 4 to 5 digits', 'not-supported: takes 1 lines of hours, so 1 of the schedule do not open it'],
    ['not-supported: does not take this passcode: it must be six digits from 1 to 9'],
    [],
    [],
  ]);
});
