// The passwords that everybody tries first.
import { expect, test } from '@jest/globals';
import { createFrequentPasswords } from '../../src/platform/frequent-passwords.ts';

test('the most frequent passwords are known, and others are not', async () => {
  const isFrequent = createFrequentPasswords();
  for (const password of ['1234567890', 'qwertyuiop', 'password', '1q2w3e4r5t'])
    expect([password, await isFrequent(password)]).toEqual([password, true]);
  for (const password of ['correct horse battery', '', 'kV9-ruzoq-2291'])
    expect([password, await isFrequent(password)]).toEqual([password, false]);
});
