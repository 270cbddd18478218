import { expect, test } from '@jest/globals';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';

test('the password of a device is 20 letters and digits, another one each time, of all letters and digits', () => {
  const { newDevicePassword } = createSecrets();
  const passwords = Array.from({ length: 200 }, newDevicePassword);
  for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9]{20}$/);
  expect(new Set(passwords).size).toBe(200);
  expect(new Set(passwords.join('')).size).toBe(62);
});
