import { describe, expect, it } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockEvent } from '../../../src/domain/locks/lock-report.ts';
import type { Revocation } from '../../../src/domain/revocations/revocation.ts';
import { sampleRevocation } from '../../stores/files/support/samples.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, recordsOf } from '../../support/domain.ts';

const all = { pageNo: 1, pageSize: 100 };

async function afterLoss(changes: Partial<Revocation> = {}) {
  const domain = await createDomain();
  await domain.alarms.start();
  const lost = { ...sampleRevocation(1), numbers: ['5550001', '2178896128'], lostDate: domain.clock.now(), ...changes };
  await domain.revocations.put(lost);
  let seq = 0;
  return {
    ...domain,
    lost,
    swipe: (event: Partial<LockEvent> = {}, id: LockId = lockId) =>
      domain.reports.events(id, { epoch: 'e', events: [{ seq: ++seq, type: 'card-unlock', credential: '5550001', ...event }] }),
    reasons: () => domain.alarms.list(callers.admin, all).list.map(({ kind, reason }) => [kind, reason]),
  };
}

describe('a swipe of a lost card', () => {
  it.each([
    ['as printed', '5550001'],
    ['with leading zeros', '0005550001'],
    ['at a reader of the other byte order', '2178896128'],
  ])('is an alarm, accepted or refused, %s', async (_how, credential) => {
    const { swipe, reasons } = await afterLoss();
    await swipe({ credential, success: false, reason: 'unknown-card' });
    expect(reasons()).toEqual([['lost-credential-used', expect.stringMatching(/was refused$/)]]);
    await swipe({ credential });
    expect(reasons()).toEqual([['lost-credential-used', expect.stringMatching(/was accepted$/)]]);
    expect(reasons().join()).not.toContain('5550001');
  });

  it('is an alarm of a lock that never knew the card', async () => {
    const { swipe, alarms } = await afterLoss();
    await swipe({ success: false }, otherLockId);
    expect(alarms.active('lost-credential-used', otherLockId)).toBeDefined();
  });

  it('is stored as a record only when the alarm is on the disk', async () => {
    const domain = await afterLoss();
    domain.storage.fails = (write) => write === 'alarms.update';
    expect(await codeOf(() => domain.swipe())).toBe('storage-unavailable');
    expect(await recordsOf(domain as never)).toEqual([]);
  });

  it('begins no alarm again when the lock repeats it', async () => {
    const { swipe, reasons, alarms } = await afterLoss();
    await swipe({ seq: 9 });
    await alarms.end(callers.admin, 'lost-credential-used', lockId);
    await swipe({ seq: 9 });
    expect(reasons()).toEqual([]);
  });

  it('stays an alarm until a person ends it', async () => {
    const { swipe, reasons, alarms, clock } = await afterLoss();
    await swipe();
    alarms.clear('lost-credential-used', lockId);
    await clock.advance(3_600_000);
    alarms.endGone();
    expect(reasons()).toHaveLength(1);
  });

  it('of which the lock tells late, and that was before the loss, is that of the holder', async () => {
    const { swipe, reasons, clock, lost } = await afterLoss();
    await swipe({ date: lost.lostDate - 3_600_000 });
    expect(reasons()).toEqual([]);
    await swipe({ date: clock.now() });
    expect(reasons()).toHaveLength(1);
  });

  it('with a date that nobody can believe is an alarm', async () => {
    const { swipe, reasons } = await afterLoss();
    await swipe({ date: 0 });
    expect(reasons().map(([kind]) => kind)).toContain('lost-credential-used');
  });
});

it('a card that was found, and any other card, is no alarm', async () => {
  const { swipe, reasons, revocations, lost } = await afterLoss();
  await swipe({ credential: '5550002' });
  await revocations.put({ ...lost, foundDate: 5 });
  await swipe();
  expect(reasons()).toEqual([]);
});
