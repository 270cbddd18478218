import { describe, expect, it } from '@jest/globals';
import { deviceIdOf, macOf, roleOn } from '../../../src/domain/locks/lock.ts';
import { callers, someLock } from '../../support/domain.ts';

describe('deviceIdOf', () => {
  it.each(['A4:C1:38:7F:02:E9', 'a4:c1:38:7f:02:e9', 'A4-C1-38-7F-02-E9', 'a4c1387f02e9'])(
    'reads the MAC address %s (HTTP API 8.1)',
    (mac) => {
      expect(deviceIdOf(mac)).toBe('a4c1387f02e9');
    },
  );

  it.each(['', 'A4:C1:38:7F:02', 'A4:C1-38:7F:02:E9', 'A4:C1:38:7F:02:EG', 'a4c1387f02e9\n', 'A4:C138:7F:02E9', '+/#'])(
    'refuses %p, which is none (HTTP API 8.1)',
    (mac) => {
      expect(deviceIdOf(mac)).toBeUndefined();
    },
  );

  it('is shown with colons in upper case (HTTP API 8.1)', () => {
    const deviceId = deviceIdOf('a4c1387f02e9');
    expect(deviceId && macOf(deviceId)).toBe('A4:C1:38:7F:02:E9');
  });
});

describe('roleOn', () => {
  it('knows the administrator, the granted roles, and nobody else: a gateway administrator has none (HTTP API 3)', () => {
    const roles = Object.values(callers).map((caller) => roleOn(someLock(), caller));
    expect(roles).toEqual([undefined, 'administrator', 'manager', 'operator', undefined]);
  });
});
