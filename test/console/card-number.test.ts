// Card numbers as the console explains them before they are sent (HTTP API: identity-card/add).
import { expect, test } from '@jest/globals';
import { isCardNumber, reversed } from '../../src/console/card-number.ts';

test('the console shows the number that the gateway will store for the reversed order', () => {
  expect(reversed('1325672378')).toBe('3123119183');
  expect(reversed('3661413478')).toBe('1723612378');
  expect(reversed('11259375')).toBe('4023233280');
  expect(reversed('1304176921112448')).toBe('36150960286114308');
  expect(reversed('18446744073709551615')).toBe('18446744073709551615');
});

test('a number of more than 8 bytes is none', () => {
  expect(isCardNumber('18446744073709551615')).toBe(true);
  expect(isCardNumber('18446744073709551616')).toBe(false);
  expect(isCardNumber('')).toBe(false);
  expect(isCardNumber('1e3')).toBe(false);
});
