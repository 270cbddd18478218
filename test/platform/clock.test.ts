import { expect, test } from '@jest/globals';
import { isTimeZone, machineTimeZone } from '../../src/platform/clock.ts';

test('a time zone is known by its IANA name, and that of the machine is one', () => {
  expect(['Europe/Berlin', 'UTC', 'europe/berlin', '', 'Nope/Nowhere', '+01:00'].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isTimeZone(machineTimeZone())).toBe(true);
});
