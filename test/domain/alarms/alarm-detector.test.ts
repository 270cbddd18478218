import { describe, expect, it } from '@jest/globals';
import type { AlarmKind } from '../../../src/domain/alarms/alarm.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import type { LockEvent } from '../../../src/domain/locks/lock-report.ts';
import { callers, createDomain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const all = { pageNo: 1, pageSize: 100 };

async function watched() {
  const domain = await createDomain();
  domain.link.reply(lockId, () => ok);
  await domain.alarms.start();
  await domain.alarmDetector.start();
  let seq = 0;
  return {
    ...domain,
    stands: (): AlarmKind[] => domain.alarms.list(callers.admin, all).list.map(({ kind }) => kind),
    comes: () => {
      domain.link.connect(lockId);
      domain.reports.hello(lockId, { date: domain.clock.now(), state: 'locked' });
    },
    goes: () => {
      domain.link.lose(lockId);
      domain.reports.offline(lockId, 'its network is gone');
    },
    says: (type: string, event: Partial<LockEvent> = {}) =>
      domain.reports.events(lockId, { epoch: 'e', events: [{ seq: ++seq, type, ...event }] }),
    said: (kind: 'alarm-began' | 'alarm-ended') => domain.notices.filter((notice) => notice.kind === kind).length,
    stop: async () => {
      await domain.alarmDetector.stop();
      await domain.alarms.stop();
    },
  };
}

describe('a lock that is offline', () => {
  it('is an alarm after a minute, since it went, until it has been back for a minute', async () => {
    const { clock, alarms, stands, comes, goes, stop } = await watched();
    comes();
    await clock.advance(minuteMs);
    const wentAt = clock.now();
    goes();
    await clock.advance(minuteMs - 1);
    expect(stands()).toEqual([]);
    await clock.advance(5_001);
    expect(alarms.list(callers.admin, all).list).toEqual([{ kind: 'offline', lockId, since: wentAt, reason: 'its network is gone' }]);
    comes();
    await clock.advance(minuteMs - 5_000);
    expect(stands()).toEqual(['offline']);
    await clock.advance(10_000);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is no alarm because the gateway itself served nobody, and has its minute when it serves again', async () => {
    const { clock, gatewayLease, alarms, stands, comes, goes, stop } = await watched();
    comes();
    await clock.advance(minuteMs);
    gatewayLease.leftMs = 0;
    goes();
    await clock.advance(hourMs);
    expect(stands()).toEqual([]);
    gatewayLease.leftMs = 30_000;
    await clock.advance(minuteMs);
    expect(stands()).toEqual([]);
    await clock.advance(10_000);
    expect(alarms.active('offline', lockId)).toMatchObject({ reason: 'it has not been online since the database was away' });
    comes();
    await clock.advance(minuteMs + 5_000);
    expect(stands()).toEqual([]);
    // Of a lock that came back, the outage counts for nothing.
    gatewayLease.leftMs = 0;
    goes();
    await clock.advance(hourMs);
    gatewayLease.leftMs = 30_000;
    await clock.advance(2_000);
    comes();
    await clock.advance(20_000);
    goes();
    await clock.advance(30_000);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is no alarm when it was never online', async () => {
    const { clock, stands, stop } = await watched();
    await clock.advance(hourMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is one alarm and one write when it comes and goes all the time, however short it is away', async () => {
    const { clock, storage, stands, said, comes, goes, stop } = await watched();
    for (let n = 0; n < 200; n++) {
      comes();
      await clock.advance(5_000);
      goes();
      await clock.advance(20_000);
    }
    expect(stands()).toEqual(['offline']);
    expect([said('alarm-began'), said('alarm-ended')]).toEqual([1, 0]);
    expect(storage.writes.filter((write) => write === 'alarms.update')).toHaveLength(1);
    await stop();
  });
});

describe('a lock that is online', () => {
  it('is an alarm when nothing was heard of it for 26 hours, and a reply is heard', async () => {
    const { clock, link, commands, stands, comes, stop } = await watched();
    comes();
    await clock.advance(25 * hourMs);
    void commands.send({
      lockId,
      priority: 2,
      accountId: null,
      deadline: commands.deadline(),
      makeCommand: () => ({ op: 'get-status' }),
    });
    await settled();
    expect(link.ops()).toEqual(['get-status']);
    await clock.advance(25 * hourMs);
    expect(stands()).toEqual([]);
    await clock.advance(hourMs + 5_000);
    expect(stands()).toEqual(['silent']);
    await stop();
  });

  it('is no alarm when it is of another make and its door is not used: nobody asks it for anything', async () => {
    const { clock, locks, stands, comes, stop } = await watched();
    await locks.update(lockId, (lock) => ({ ...lock, driver: { ...lock.driver, kind: 'nuki' } }));
    comes();
    await clock.advance(100 * hourMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is an alarm when it is unlocked for 30 s longer than its auto lock time, and not in passage mode', async () => {
    const { clock, locks, reports, stands, comes, says, stop } = await watched();
    await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 5 }));
    comes();
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(20_000);
    // Unlocked again it would begin anew; a card that is refused unlocks nothing.
    await says('card-unlock', { success: false });
    await clock.advance(15_000 - 5_001);
    expect(stands()).toEqual([]);
    await clock.advance(5_001);
    expect(stands()).toEqual(['auto-lock-late']);
    reports.state(lockId, { state: 'locked' });
    await clock.advance(minuteMs + 5_000);
    expect(stands()).toEqual([]);
    await locks.update(lockId, (lock) => ({ ...lock, settings: { ...lock.settings, passageMode: 1 } }));
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(hourMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is an alarm when it is unlocked for an hour and has no auto lock, and not in passage mode', async () => {
    const { clock, alarms, locks, reports, stands, comes, stop } = await watched();
    await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 0 }));
    comes();
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(hourMs - 5_001);
    expect(stands()).toEqual([]);
    await clock.advance(10_001);
    expect(alarms.list(callers.admin, all).list).toMatchObject([
      { kind: 'open-too-long', reason: 'it has no auto lock and was not locked for 60 min' },
    ]);
    reports.state(lockId, { state: 'locked' });
    await clock.advance(minuteMs + 5_000);
    expect(stands()).toEqual([]);
    await locks.update(lockId, (lock) => ({ ...lock, settings: { ...lock.settings, passageMode: 1 } }));
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(2 * hourMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is an alarm while its sensor says that the door is open, whatever its bolt does, and none while that says it is closed', async () => {
    const { clock, alarms, locks, reports, stands, comes, says, stop } = await watched();
    await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 5 }));
    comes();
    await says('door-open');
    await clock.advance(hourMs - minuteMs);
    // Opened once more it begins anew.
    await says('door-close');
    await says('door-open');
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await clock.advance(hourMs);
    expect(alarms.list(callers.admin, all).list).toMatchObject([{ kind: 'open-too-long', reason: 'its door was not closed for 60 min' }]);
    await says('door-close');
    await clock.advance(minuteMs + 5_000);
    expect(stands()).toEqual([]);
    await locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 0 }));
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(2 * hourMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('that stood open before a start stays an alarm until its sensor says that it is closed', async () => {
    const { clock, alarms, stands, comes, says, stop } = await watched();
    alarms.raise('open-too-long', lockId, { reason: 'its door was not closed for 60 min' });
    comes();
    await clock.advance(10 * minuteMs);
    expect(stands()).toEqual(['open-too-long']);
    await says('door-close');
    await clock.advance(minuteMs + 5_000);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('has a low battery below 20 percent, and no longer when it has risen to 25', async () => {
    const { clock, reports, stands, comes, stop } = await watched();
    comes();
    reports.battery(lockId, { level: 20 });
    expect(stands()).toEqual([]);
    reports.battery(lockId, { level: 19 });
    expect(stands()).toEqual(['low-battery']);
    reports.battery(lockId, { level: 24 });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['low-battery']);
    reports.battery(lockId, { level: 25 });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('has a low battery when it says so itself, at whatever level (Protocol 4.4)', async () => {
    const { clock, reports, stands, comes, says, stop } = await watched();
    comes();
    reports.battery(lockId, { level: 40 });
    await says('low-battery');
    reports.battery(lockId, { level: 39 });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['low-battery']);
    reports.battery(lockId, { level: 100 });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is low when the lock says so itself, until it says that it is not, at a level that is not low', async () => {
    const { clock, reports, stands, comes, stop } = await watched();
    comes();
    reports.batteryCritical(lockId, true);
    expect(stands()).toEqual(['low-battery']);
    reports.battery(lockId, { level: 10 });
    reports.batteryCritical(lockId, false);
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['low-battery']);
    reports.battery(lockId, { level: 22 });
    reports.batteryCritical(lockId, false);
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('has a wrong clock when it refuses to be set, until it takes it; one without a clock has none that is wrong', async () => {
    const { clock, link, reports, stands, stop } = await watched();
    link.connect(lockId, () => refusal('not-supported'));
    reports.hello(lockId, {});
    await settled();
    expect(stands()).toEqual([]);
    link.connect(lockId, () => refusal('failed'));
    reports.hello(lockId, { date: clock.now() - hourMs });
    await settled();
    expect(stands()).toEqual(['wrong-clock']);
    link.connect(lockId, () => ok);
    reports.hello(lockId, { date: clock.now() - hourMs });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('has a wrong clock when it dates an event in 1970, but not while it is the clock of the gateway that is suspect', async () => {
    const { gatewayClock, stands, comes, says, stop } = await watched();
    comes();
    gatewayClock.isSuspect = true;
    await says('card-unlock', { date: 5 });
    expect(stands()).not.toContain('wrong-clock');
    gatewayClock.isSuspect = false;
    await says('card-unlock', { date: 5 });
    expect(stands()).toContain('wrong-clock');
    await stop();
  });
});

describe('a bolt that is jammed', () => {
  it('is an alarm from the reply or the event, until it moves', async () => {
    const { clock, link, lockService, reports, stands, comes, says, stop } = await watched();
    comes();
    link.reply(lockId, () => refusal('jammed'));
    await lockService.setBolt(callers.operator, lockId, 'unlocked', stays());
    expect(stands()).toEqual(['jammed']);
    await says('remote-unlock', { success: false });
    await says('jammed');
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['jammed']);
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is not over because of an event from before, which the lock sends again', async () => {
    const { clock, reports, stands, comes, stop } = await watched();
    comes();
    for (const [seq, type] of [
      [1, 'inside-unlock'],
      [3, 'jammed'],
      [2, 'inside-lock'],
    ] as const)
      await reports.events(lockId, { epoch: 'a', events: [{ seq, type }] });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['jammed']);
    await reports.events(lockId, { epoch: 'a', events: [{ seq: 4, type: 'inside-lock' }] });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('is judged by the last event that says anything of it', async () => {
    const { clock, reports, stands, comes, stop } = await watched();
    comes();
    const events = (...types: string[]) => types.map((type, n) => ({ seq: n + 1, type }));
    await reports.events(lockId, { epoch: 'a', events: events('jammed', 'inside-unlock') });
    expect(stands()).toEqual([]);
    await reports.events(lockId, { epoch: 'b', events: events('jammed', 'inside-unlock', 'jammed') });
    expect(stands()).toEqual(['jammed']);
    await reports.events(lockId, { epoch: 'c', events: events('jammed', 'inside-unlock') });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('an alarm whose cause is over in an instant', () => {
  it.each(['tampered', 'duress'] as const)('stays active until a person ends it: %s', async (kind) => {
    const { clock, alarms, stands, notices, comes, says, stop } = await watched();
    comes();
    await says(kind === 'tampered' ? 'tamper' : 'duress');
    await clock.advance(10 * hourMs);
    expect(stands()).toEqual([kind]);
    await alarms.end(callers.manager, kind, lockId);
    expect(stands()).toEqual([]);
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'alarm-ended', alarm: kind, by: 'max' }));
    await stop();
  });

  it('is on the disk before its event is, and the events behind it keep their order (Protocol 4.4)', async () => {
    const { storage, records, comes, says, stop } = await watched();
    comes();
    const release = storage.hold();
    const stored = [says('tamper'), says('card-unlock')];
    await settled();
    expect(storage.writes).toEqual(['alarms.update']);
    release();
    await Promise.all(stored);
    expect(storage.writes).toEqual(['alarms.update', 'records.append', 'records.append']);
    const { list } = await records.page({ lockId, from: 0, to: Number.MAX_SAFE_INTEGER, ...all });
    expect(list.map(({ type }) => type)).toEqual(['card-unlock', 'tamper']);
    await stop();
  });

  it('does not let its event be acknowledged when it could not be stored, and is active all the same', async () => {
    const { storage, stands, comes, says, stop } = await watched();
    comes();
    storage.fails = (write) => write === 'alarms.update';
    await expect(says('tamper')).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect(storage.writes).not.toContain('records.append');
    expect(stands()).toEqual(['tampered']);
    await stop();
  });

  it('is not raised again by an event that comes a second time (Fault T9)', async () => {
    const { alarms, reports, stands, comes, stop } = await watched();
    comes();
    const report = { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] };
    await reports.events(lockId, report);
    await alarms.end(callers.admin, 'tampered', lockId);
    await reports.events(lockId, report);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('a gap in the events of a lock', () => {
  it('is an alarm when they are lost, and no news once a person knows it (Protocol 4.4)', async () => {
    const { alarms, emit, reports, stands, comes, stop } = await watched();
    comes();
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'a' }] });
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 5, type: 'a' }] });
    await settled();
    expect(stands()).toEqual(['event-gap']);
    await alarms.end(callers.admin, 'event-gap', lockId);
    emit('events-lost', { lockId, epoch: 'e', from: 2, to: 4 });
    expect(stands()).toEqual([]);
    emit('events-lost', { lockId, epoch: 'e', from: 7, to: 7 });
    expect(stands()).toEqual(['event-gap']);
    await stop();
  });

  it('is one, too, when the lock refuses to send them, and ends when they have come after all', async () => {
    const { clock, link, reports, stands, comes, stop } = await watched();
    link.reply(lockId, ({ op }) => (op === 'resend-events' ? refusal('not-supported') : ok));
    comes();
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'a' }] });
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 3, type: 'a' }] });
    await clock.advance(10 * minuteMs);
    expect(stands()).toEqual(['event-gap']);
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 2, type: 'a' }] });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('the gateway itself', () => {
  it('is an alarm while its clock is suspect, its disk takes no writes, or its backup failed', async () => {
    const { clock, gatewayClock, gatewayStorage, emit, stands, stop } = await watched();
    gatewayClock.isSuspect = true;
    gatewayStorage.health = 'The disk of the gateway is full';
    emit('backup-ended', { failure: 'no backup was made' });
    await clock.advance(20_000);
    expect(stands().sort()).toEqual(['backup-failing', 'clock-suspect', 'storage-unavailable']);
    gatewayClock.isSuspect = false;
    gatewayStorage.health = 'ok';
    emit('backup-ended', { failure: undefined });
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('the alarm of a suspect clock', () => {
  it('says what the clocks of the locks say against it once they have come back, and how to accept it', async () => {
    const { clock, gatewayClock, clockEvidence, alarms, locks, notices, stop } = await watched();
    gatewayClock.isSuspect = true;
    await clock.advance(5_000);
    const reasons = () => alarms.list(callers.admin, all).list.map(({ reason }) => reason);
    expect(reasons()).toEqual([expect.stringMatching(/no lock is told the time.*latchd clock accept$/)]);
    for (const id of [11, 12, 13] as LockId[]) {
      await locks.add(someLock({ lockId: id, deviceId: `0200000000${id}` as DeviceId }));
      clockEvidence.heard(id, clock.now() + 3_600_000);
    }
    await clock.advance(60_000);
    expect(reasons()).toEqual([expect.stringMatching(/latchd clock accept; the clocks of 3 locks agree/)]);
    await clock.advance(600_000);
    expect(notices.filter(({ kind }) => kind === 'alarm-began')).toHaveLength(2);
    await stop();
  });
});

describe('the alarm detector', () => {
  it('forgets a lock that was removed, and its alarms', async () => {
    const { clock, locks, stands, comes, says, stop } = await watched();
    comes();
    await says('tamper');
    await locks.remove(lockId);
    await clock.advance(5_000);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('leaves no timer behind', async () => {
    const { clock, comes, stop } = await watched();
    comes();
    await stop();
    expect(clock.timers()).toBe(0);
  });

  it('shows another lock to nobody who has no role there', async () => {
    const { alarms, comes, says, stop } = await watched();
    comes();
    await says('tamper');
    alarms.raise('jammed', otherLockId, { reason: 'its bolt is jammed' });
    alarms.raise('clock-suspect', null, { reason: 'x' });
    const seen = (caller: (typeof callers)[keyof typeof callers]) => alarms.list(caller, all).list.map(({ kind }) => kind);
    expect(seen(callers.admin)).toHaveLength(3);
    expect([seen(callers.manager), seen(callers.operator), seen(callers.stranger)]).toEqual([['tampered'], [], []]);
    await stop();
  });
});
