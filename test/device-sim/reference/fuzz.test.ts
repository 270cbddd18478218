// The reference lock against whatever may come: fuzz.c is a port without hardware that says anything to it, in any order.
import { expect, test } from '@jest/globals';
import { fuzzReferenceLock } from '../support/reference-lock.ts';

test('nothing that comes makes it read what is not there, act late, or act twice', async () => {
  expect(await fuzzReferenceLock(15_000)).toMatch(/^15000 rounds, [1-9]\d+ movements/);
});
