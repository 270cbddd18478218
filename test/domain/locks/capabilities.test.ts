import { expect, test } from '@jest/globals';
import { changesCapabilities } from '../../../src/domain/locks/capabilities.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';

test('capabilities are others when one value is, and the same when all are told again', () => {
  expect(changesCapabilities(bareCapabilities, { ...bareCapabilities, warnings: [] })).toBe(false);
  expect(changesCapabilities(bareCapabilities, { passcodes: true })).toBe(true);
  expect(changesCapabilities(bareCapabilities, { warnings: ['actions-off'] })).toBe(true);
  expect(changesCapabilities({ ...bareCapabilities, warnings: ['actions-off'] }, { warnings: [] })).toBe(true);
});
