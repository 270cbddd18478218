// What locks reported last, beside what the database has of them.
import { expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createStatusTable } from '../../../src/stores/postgres/status-table.ts';
import { createSettableClock } from '../../support/settable-clock.ts';
import { captureLog } from '../files/support/directory.ts';

const lockId = 7 as LockId;
const row = { lockId, state: 'locked', stateAt: 1, batteryPercent: 80, lastSeenAt: 1, cardsOnLock: null };

function createTable() {
  const query = async (_sql: string, [after]: readonly unknown[] = []) => (after === 0 ? [row] : []);
  return createStatusTable({
    ...{ database: { query: query as never }, writer: { write: async () => [] } as never },
    ...{ clock: createSettableClock(), log: captureLog(), emit: () => undefined },
  });
}

test('a lock that reports before it is read keeps what it said; of the rest the database knows more', async () => {
  const table = createTable();
  table.patch(lockId, { state: 'unlocked', stateAt: 2 });
  await table.open();
  expect(table.get(lockId)).toMatchObject({ state: 'unlocked', stateAt: 2, batteryPercent: 80 });
});

test('what is opened again, because something else could not be, overwrites nothing', async () => {
  const table = createTable();
  await table.open();
  table.patch(lockId, { state: 'unlocked', stateAt: 2 });
  await table.open();
  expect(table.get(lockId)).toMatchObject({ state: 'unlocked', stateAt: 2 });
});
