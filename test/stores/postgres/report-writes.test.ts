// What the log says of reports that the database does not take.
import { expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createReportWrites, createUnsaved } from '../../../src/stores/postgres/report-writes.ts';
import { createManualClock } from '../../support/mqtt-clock.ts';
import { captureLog } from '../files/support/directory.ts';

test('reports that cannot be saved are one line for each outage, without a stack', async () => {
  const clock = createManualClock();
  const log = captureLog();
  let isAway = true;
  let attempts = 0;
  const write = async () => {
    attempts += 1;
    if (isAway) throw new Error('the database does not answer');
  };
  const unsaved = createUnsaved(log, 'the battery levels');
  const writes = createReportWrites({ clock, unsaved, delayMs: 250, write });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  for (let outage = 1; outage <= 2; outage++) {
    [isAway, attempts] = [true, 0];
    writes.touch(7 as LockId);
    await pass(10);
    expect([attempts > 5, log.lines.length]).toEqual([true, outage]);
    isAway = false;
    await pass(2);
  }
  expect(log.lines[0]).toContain('"code":"status-not-saved","reason":"the database does not answer"');
  expect(log.lines.join()).not.toContain('at ');
  await writes.close();
});
