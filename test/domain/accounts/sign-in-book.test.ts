import { expect, test } from '@jest/globals';
import { createSignInBook } from '../../../src/domain/accounts/sign-in-book.ts';
import { sampleSignIn } from '../../support/sample-sign-ins.ts';

const [first, second] = [sampleSignIn(1), sampleSignIn(2)];

test('a sign-in that the disk has counts, until the disk has it no more', () => {
  const book = createSignInBook();
  expect([book.stored(first.hash, first), book.all()]).toEqual([undefined, [first]]);
  expect([book.stored(first.hash, undefined), book.all(), book.named(first.sessionId)]).toEqual([first, [], undefined]);
});

test('a sign-in that has ended here does not come back by a write that began before, and its end on the disk is no news', () => {
  const book = createSignInBook();
  for (const one of [first, second]) book.begin(one);
  book.end([first.hash]);
  expect([book.stored(first.hash, first), book.all(), book.of(first.accountId)]).toEqual([undefined, [second], [second]]);
  expect([book.stored(first.hash, undefined), book.all()]).toEqual([undefined, [second]]);
});
