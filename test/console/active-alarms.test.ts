// The alarms that the console shows.
import { expect, test } from '@jest/globals';
import { activeAlarms } from '../../src/console/active-alarms.ts';
import type { Alarm } from '../../src/console/api/types.ts';

const alarm = (kind: string, lockId: number | null) => ({ kind, lockId, since: 1, endsByItself: true }) as Alarm;
const lock = { online: true, state: 'locked', stateSure: true } as const;

test('an alarm whose cause is gone is not shown while it stays active, and every other one is', () => {
  const shown = [
    alarm('clock-suspect', null),
    alarm('tampered', 1),
    alarm('offline', 2),
    alarm('jammed', 3),
    alarm('auto-lock-late', 4),
    alarm('auto-lock-late', 3),
    alarm('offline', 9),
  ];
  const over = [alarm('offline', 1), alarm('jammed', 1), alarm('auto-lock-late', 1)];
  const locks = new Map([
    [1, lock],
    [2, { ...lock, online: false }],
    [3, { ...lock, stateSure: false }],
    [4, { ...lock, state: 'unlocked' as const }],
  ]);
  expect(activeAlarms([...over, ...shown], locks)).toEqual(shown);
  expect(activeAlarms([...over, ...shown], undefined)).toEqual([...over, ...shown]);
});
