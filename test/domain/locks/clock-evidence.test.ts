import { describe, expect, it } from '@jest/globals';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { createDomain, someLock } from '../../support/domain.ts';

const dayMs = 86_400_000;

describe('the clocks of the locks', () => {
  it('speak against the gateway when three of them agree with one another and not with it', async () => {
    const { clock, clockEvidence, locks } = await createDomain();
    const ids = [11, 12, 13, 14, 15] as LockId[];
    for (const id of ids) await locks.add(someLock({ lockId: id, deviceId: `0200000000${id}` as DeviceId, alias: `Door ${id}` }));
    const says = (id: LockId | undefined, aheadMs: number) => clockEvidence.heard(id as LockId, clock.now() + aheadMs);
    for (const id of ids) says(id, 1_000);
    expect(clockEvidence.evidence()).toBeUndefined();
    says(ids[0], 3_600_000);
    says(ids[1], 3_605_000);
    says(ids[2], -86_400_000);
    expect(clockEvidence.evidence()).toBeUndefined();
    says(ids[3], 3_610_000);
    expect(clockEvidence.evidence()).toBe(
      'the clocks of 3 locks agree with one another and are 60 min ahead of it: "Door 11", "Door 12", "Door 14"',
    );
    says(ids[4], 3_599_000);
    await clock.advance(60_000);
    expect(clockEvidence.evidence()).toBe(
      'the clocks of 4 locks agree with one another and are 60 min ahead of it: "Door 15", "Door 11", "Door 12" and 1 more',
    );
    clock.setNow(clock.now() + 5 * dayMs);
    expect(clockEvidence.evidence()).toContain('are 5 days behind it');
    await locks.remove(ids[3] as LockId);
    await locks.remove(ids[4] as LockId);
    expect(clockEvidence.evidence()).toBeUndefined();
  });
});
