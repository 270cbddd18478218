import { afterEach, describe, expect, it } from '@jest/globals';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import { callers, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';

const dayMs = 86_400_000;

let domain: Awaited<ReturnType<typeof createDomain>>;

async function watched() {
  domain = await createDomain();
  domain.link.reply(lockId, () => ok);
  await domain.lockClocks.start();
  return domain;
}

afterEach(() => domain.lockClocks.stop());

describe('the clocks of the locks', () => {
  it('are set once a day where a lock is online, and not before (Protocol 5.1)', async () => {
    const { link, clock, notices } = await watched();
    await clock.advance(dayMs - 1);
    expect(link.ops()).toEqual([]);
    await clock.advance(60_000);
    expect(link.ops()).toEqual(['set-clock']);
    expect(notices).toContainEqual({ kind: 'clocks-set', set: 1, failed: 0 });
    await clock.advance(dayMs);
    expect(link.ops()).toEqual(['set-clock', 'set-clock']);
  });

  it("are set when the gateway's own was, by more than 2 s", async () => {
    const { link, clock } = await watched();
    clock.setNow(clock.now() + 2_000);
    await clock.advance(60_000);
    expect(link.ops()).toEqual([]);
    clock.setNow(clock.now() + 3_600_000);
    await clock.advance(60_000);
    expect(link.sent.map(({ command }) => command)).toEqual([{ op: 'set-clock', now: clock.now(), timezoneRawOffset: 3_600_000 }]);
  });

  it("are left alone while the gateway's own is suspect, and set as soon as it is believed again (Fault T19)", async () => {
    const { link, clock, gatewayClock } = await watched();
    gatewayClock.isSuspect = true;
    clock.setNow(clock.now() + 3_650 * dayMs);
    await clock.advance(2 * dayMs);
    expect(link.ops()).toEqual([]);
    gatewayClock.isSuspect = false;
    await clock.advance(60_000);
    expect(link.ops()).toEqual(['set-clock']);
  });

  it("are not set after a hello either while the gateway's own is suspect, whether or not the lock has a date, nor for a new time zone (Protocol 4.1)", async () => {
    const { link, clock, gatewayClock, reports, registrationService } = await watched();
    gatewayClock.isSuspect = true;
    reports.hello(lockId, { state: 'locked' });
    reports.hello(lockId, { state: 'locked', date: clock.now() + 400 * dayMs });
    await registrationService.change(callers.admin, lockId, { timezoneOffsetMs: 7_200_000 });
    await clock.advance(dayMs);
    expect(link.ops()).toEqual([]);
    gatewayClock.isSuspect = false;
    await clock.advance(5_000);
    expect(link.sent.map(({ command }) => command)).toEqual([{ op: 'set-clock', now: clock.now(), timezoneRawOffset: 7_200_000 }]);
  });

  it('are not set by a command that waited when the clock became suspect', async () => {
    const { link, clock, gatewayClock, reports, lockService } = await watched();
    link.reply(lockId, () => undefined);
    const door = lockService.move(callers.operator, lockId, 'unlocked', stays());
    reports.hello(lockId, { state: 'locked' });
    gatewayClock.isSuspect = true;
    link.sent[0]?.answer({ kind: 'ok', state: 'unlocked' });
    await door;
    await clock.advance(10_000);
    expect(link.ops()).toEqual(['unlock']);
  });

  it('wait for the machine to say that its clock is right, which is asked once a minute', async () => {
    const { link, clock, gatewayClock } = await watched();
    gatewayClock.isSuspect = true;
    gatewayClock.isSynchronised = true;
    await clock.advance(119_999);
    expect([gatewayClock.isSuspect, link.ops()]).toEqual([true, []]);
    await clock.advance(6_000);
    expect([gatewayClock.isSuspect, link.ops()]).toEqual([false, ['set-clock']]);
  });

  it('are set again a minute later where the lock did not answer, three times in all until its next hello', async () => {
    const { link, clock, reports } = await watched();
    link.reply(lockId, ({ op }) => (op === 'set-clock' ? undefined : ok));
    const times = () => link.ops().filter((op) => op === 'set-clock').length;
    reports.hello(lockId, { state: 'locked' });
    await clock.advance(119_000);
    expect(times()).toBe(2);
    await clock.advance(3_600_000);
    expect(times()).toBe(3);
    reports.hello(lockId, { state: 'locked' });
    link.reply(lockId, () => ok);
    await clock.advance(120_000);
    expect(times()).toBe(5);
    await clock.advance(3_600_000);
    expect(times()).toBe(5);
  });

  it('speak against the gateway when three of them agree with one another and not with it', async () => {
    const { clock, lockClocks, locks } = await watched();
    const ids = [11, 12, 13, 14, 15] as LockId[];
    for (const id of ids) await locks.add(someLock({ lockId: id, deviceId: `0200000000${id}` as DeviceId, alias: `Door ${id}` }));
    const says = (id: LockId | undefined, aheadMs: number) =>
      lockClocks.check(id as LockId, clock.now() + aheadMs, clock.now()).catch(() => undefined);
    for (const id of ids) await says(id, 1_000);
    expect(lockClocks.evidence()).toBeUndefined();
    await says(ids[0], 3_600_000);
    await says(ids[1], 3_605_000);
    await says(ids[2], -86_400_000);
    expect(lockClocks.evidence()).toBeUndefined();
    await says(ids[3], 3_610_000);
    expect(lockClocks.evidence()).toBe(
      'the clocks of 3 locks agree with one another and are 60 min ahead of it: "Door 11", "Door 12", "Door 14"',
    );
    await says(ids[4], 3_599_000);
    await clock.advance(60_000);
    expect(lockClocks.evidence()).toBe(
      'the clocks of 4 locks agree with one another and are 60 min ahead of it: "Door 15", "Door 11", "Door 12" and 1 more',
    );
    clock.setNow(clock.now() + 5 * dayMs);
    expect(lockClocks.evidence()).toContain('are 5 days behind it');
    await locks.remove(ids[3] as LockId);
    await locks.remove(ids[4] as LockId);
    expect(lockClocks.evidence()).toBeUndefined();
  });

  it('are counted apart where a lock refuses or does not answer, and the others get theirs all the same', async () => {
    const { link, clock, notices } = await watched();
    link.connect(otherLockId, () => refusal('failed'));
    await clock.advance(dayMs);
    expect(link.ops()).toEqual(['set-clock', 'set-clock']);
    expect(notices).toContainEqual({ kind: 'clocks-set', set: 1, failed: 1 });
  });

  it('are set no more once the gateway stops', async () => {
    const { link, clock, lockClocks } = await watched();
    await lockClocks.stop();
    await clock.advance(2 * dayMs);
    expect([link.ops(), clock.timers()]).toEqual([[], 0]);
  });
});
