import { expect, test } from '@jest/globals';
import { maskedCredential } from '../../../src/domain/records/passcode-privacy.ts';
import { recordLabels } from '../../../src/domain/records/record.ts';

test('of every kind of event a number is masked, but of cards and fingerprints, and of codes that are only pointed at', () => {
  const shown = (type: string, credential = '482913') => maskedCredential({ type, credential });
  const open = Object.keys(recordLabels).filter((type) => shown(type) === '482913');
  expect(open).toEqual(['card-unlock', 'card-lock', 'fingerprint-unlock']);
  expect([shown('pet-flap'), shown('Card-unlock'), shown('nuki KeypadAction')]).toEqual(['****', '****', '****']);
  expect([shown('passcode-unlock', 'slot 3'), shown('passcode-unlock', 'code 12345')]).toEqual(['slot 3', 'code 12345']);
  expect([shown('passcode-unlock', 'code 12345 482913'), shown('passcode-unlock', '')]).toEqual(['****', '']);
});
