import { afterEach, describe, expect, it } from '@jest/globals';
import { callers, createDomain, lockId, otherLockId, stays } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';

const dayMs = 86_400_000;

let domain: Awaited<ReturnType<typeof createDomain>>;

async function watched() {
  domain = await createDomain();
  domain.link.reply(lockId, () => ok);
  await domain.clockSync.start();
  return domain;
}

afterEach(() => domain.clockSync.stop());

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
    const door = lockService.setBolt(callers.operator, lockId, 'unlocked', stays());
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

  it('are counted apart where a lock refuses or does not answer, and the others get theirs all the same', async () => {
    const { link, clock, notices } = await watched();
    link.connect(otherLockId, () => refusal('failed'));
    await clock.advance(dayMs);
    expect(link.ops()).toEqual(['set-clock', 'set-clock']);
    expect(notices).toContainEqual({ kind: 'clocks-set', set: 1, failed: 1 });
  });

  it('are set no more once the gateway stops', async () => {
    const { link, clock, clockSync } = await watched();
    await clockSync.stop();
    await clock.advance(2 * dayMs);
    expect([link.ops(), clock.timers()]).toEqual([[], 0]);
  });
});
