// When a node that shares a database may be given work, and what /readyz says of its database.
import { expect, test } from '@jest/globals';
import { databaseNodeOf } from '../../src/app/database-node.ts';

type Given = Parameters<typeof databaseNodeOf>[0];

function node({ role = 'serving', leaseLeft = 29, isLeaseLong = true, clockAheadMs = 0, awayMs = -1, standsIn = false }) {
  const view = () => ({ role, leaseSecondsLeft: leaseLeft });
  const given = {
    lease: { view, isReady: () => isLeaseLong, leftMs: () => leaseLeft * 1_000, serves: () => role === 'serving' },
    watch: {
      away: () => (awayMs < 0 ? undefined : { reason: 'db-1:5432: secret', ms: awayMs }),
      clockAheadMs: () => clockAheadMs,
      isClockNear: () => Math.abs(clockAheadMs) <= 60_000,
    },
    standsIn: () => standsIn,
    databaseStats: () => ({ reconnects: 1, fencedWrites: 2, streamConflicts: 3, changesBehind: 4 }),
  };
  return databaseNodeOf(given as unknown as Given, () => undefined);
}

test.each([
  ['it serves, and all is well', {}, true, 'ok'],
  ['its lease runs out', { isLeaseLong: false, leaseLeft: 7 }, false, 'does not take the sign of this node: 7 s of its lease are left'],
  ['its clock is more than a minute off', { clockAheadMs: -61_500 }, false, 'its clock and that of this node differ by 61 s'],
  ['its clock is less than a minute off', { clockAheadMs: 59_000 }, true, 'ok'],
  ['the database is away and the lease lasts', { awayMs: 12_300 }, true, 'does not answer for 12 s'],
  ['its lease is over', { role: 'lost', isLeaseLong: false, leaseLeft: 0 }, false, 'the lease of this node is over'],
  ['it stands in for another one', { standsIn: true }, true, 'this node stands in at the doors for one that gives no sign'],
  ['it waits again after that', { standsIn: true, role: 'waiting', isLeaseLong: false, leaseLeft: 0 }, false, 'ok'],
  ['it waits', { role: 'waiting', isLeaseLong: false, leaseLeft: 0 }, false, 'ok'],
])('%s', (_title, given, isReady, health) => {
  expect([node(given).isReady(), node(given).health()]).toEqual([isReady, health]);
});

test('the metrics have how long its lease lasts, and what was counted', () => {
  expect(node({ leaseLeft: 12 }).stats()).toEqual({
    leaseSecondsLeft: 12,
    leads: true,
    reconnects: 1,
    fencedWrites: 2,
    streamConflicts: 3,
    changesBehind: 4,
  });
});
