import { describe, expect, it } from '@jest/globals';
import { createEventNumbers } from '../../../src/domain/locks/event-numbers.ts';
import { createDomain, lockId, otherLockId } from '../../support/domain.ts';

describe('the numbers of events that a lock does not number', () => {
  it('rise by one for each lock, also while earlier events are not stored yet', async () => {
    const { records } = await createDomain();
    const number = createEventNumbers({ records });
    expect(number(lockId, [{ type: 'door-open' }, { type: 'door-close' }])).toEqual({
      epoch: 'gw',
      events: [
        { type: 'door-open', seq: 1 },
        { type: 'door-close', seq: 2 },
      ],
    });
    expect(number(otherLockId, [{ type: 'tamper' }]).events).toEqual([{ type: 'tamper', seq: 1 }]);
    expect(number(lockId, [{ type: 'tamper' }]).events).toEqual([{ type: 'tamper', seq: 3 }]);
  });

  it('go on above what is stored when the gateway starts again, so that each event is a record', async () => {
    const { records, reports } = await createDomain();
    const before = createEventNumbers({ records });
    await reports.events(lockId, before(lockId, [{ type: 'door-open' }]));
    const after = createEventNumbers({ records });
    expect(await reports.events(lockId, after(lockId, [{ type: 'door-open' }]))).toMatchObject({ duplicates: 0 });
    expect(records.progress(lockId, 'gw').highest).toBe(2);
  });
});
