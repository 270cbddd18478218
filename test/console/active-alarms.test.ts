// The alarms that the console shows.
import { expect, test } from '@jest/globals';
import { activeAlarms } from '../../src/console/active-alarms.ts';
import type { Alarm } from '../../src/console/api/types.ts';

const alarm = (kind: string, lockId: number | null) => ({ kind, lockId, since: 1, endsByItself: true }) as Alarm;

test('of a lock that is back no offline alarm is shown, and every other one is', () => {
  const alarms = [alarm('clock-suspect', null), alarm('jammed', 1), alarm('offline', 1), alarm('offline', 2), alarm('offline', 3)];
  const locks = new Map([
    [1, { online: true }],
    [2, { online: false }],
  ]);
  expect(activeAlarms(alarms, locks)).toEqual([alarms[0], alarms[1], alarms[3], alarms[4]]);
  expect(activeAlarms(alarms, undefined)).toEqual(alarms);
});
