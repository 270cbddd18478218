import { expect, test } from '@jest/globals';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';

test('the password of a device is 20 letters and digits, another one each time, of all letters and digits', () => {
  const { newDevicePassword } = createSecrets();
  const passwords = Array.from({ length: 200 }, newDevicePassword);
  for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9]{20}$/);
  expect(new Set(passwords).size).toBe(200);
  expect(new Set(passwords.join('')).size).toBe(62);
});

test('random digits are as many as wanted, zeros in front included, each as often as the others', () => {
  const { newDigits } = createSecrets();
  const codes = Array.from({ length: 5_000 }, () => newDigits(6));
  for (const code of codes) expect(code).toMatch(/^\d{6}$/);
  const counts = Array.from({ length: 10 }, (_, digit) => codes.join('').split(String(digit)).length - 1);
  for (const count of counts) expect(Math.abs(count - 3_000)).toBeLessThan(400);
  expect(codes.some((code) => code.startsWith('0'))).toBe(true);
});
