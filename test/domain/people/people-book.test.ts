// What is asked of all people, without a look at each of them.
import { expect, test } from '@jest/globals';
import { createPeopleBook } from '../../../src/domain/people/people-book.ts';
import type { Credential } from '../../../src/domain/people/person.ts';
import { samplePerson } from '../../stores/files/support/samples.ts';

test('a passcode is taken as long as somebody has it', () => {
  const book = createPeopleBook();
  const [one] = samplePerson(1).credentials as [Credential];
  const person = { ...samplePerson(1), credentials: [{ ...one, kind: 'passcode' as const, number: '482913' }] };
  book.changed(undefined, person);
  expect([book.hasPasscode('482913'), book.hasPasscode('482914')]).toEqual([true, false]);
  const other = { ...person, credentials: [{ ...one, kind: 'card' as const, number: '482914' }] };
  book.changed(person, other);
  expect([book.hasPasscode('482913'), book.hasPasscode('482914')]).toEqual([false, false]);
});
