import { describe, expect, it } from '@jest/globals';
import { createAlarmService } from '../../../src/domain/alarms/alarm-service.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, noLockId } from '../../support/domain.ts';
import { createMemoryAlarms } from '../../support/memory-stores.ts';
import { createNotedEvents } from '../../support/noted-events.ts';

const all = { pageNo: 1, pageSize: 10 };
const minuteMs = 60_000;

/** The same store and clock under one service after another, as after restarts. */
async function restartable() {
  const { clock, locks } = await createDomain();
  const { events, notices } = createNotedEvents();
  const store = createMemoryAlarms(events.emit);
  const begin = async () => {
    const alarms = createAlarmService({
      clock,
      alarms: store,
      locks,
      lists: { rights: () => 0 },
      events,
      endAfterMs: minuteMs,
    });
    await alarms.start();
    return alarms;
  };
  return { clock, locks, store, events, notices, begin };
}

describe('an alarm', () => {
  it('is there after a restart as it was, and is not emitted again', async () => {
    const { clock, notices, begin } = await restartable();
    const first = await begin();
    first.raise('low-battery', lockId, { reason: 'its battery is at 17 percent', batteryPercent: 17 });
    const before = first.list(callers.admin, all);
    await first.stop();
    await clock.advance(minuteMs);
    const second = await begin();
    second.raise('low-battery', lockId, { reason: 'its battery is at 16 percent', batteryPercent: 16 });
    expect(second.list(callers.admin, all)).toEqual(before);
    await second.stop();
    expect(notices).toEqual([
      { kind: 'alarm-began', alarm: 'low-battery', lockId, since: expect.any(Number), reason: 'its battery is at 17 percent' },
    ]);
  });

  it('is emitted when it is on the disk, so that a power cut before that emits it once', async () => {
    const { clock, notices, begin } = await restartable();
    const first = await begin();
    first.raise('offline', lockId, { reason: 'x' });
    expect(notices).toEqual([]);
    const second = await begin();
    second.raise('offline', lockId, { reason: 'x' });
    await clock.advance(2_000);
    await Promise.all([first.stop(), second.stop()]);
    expect(second.list(callers.admin, all).total).toBe(1);
  });

  it('goes on when its cause comes back within a minute', async () => {
    const { clock, notices, begin } = await restartable();
    const alarms = await begin();
    for (let n = 0; n < 100; n++) {
      alarms.raise('storage-unavailable', null, { reason: 'full' });
      await clock.advance(30_000);
      alarms.clear('storage-unavailable', null);
      alarms.endGone();
      await clock.advance(30_000);
    }
    expect(notices).toHaveLength(1);
    await clock.advance(minuteMs);
    alarms.endGone();
    await alarms.stop();
    expect(notices.map(({ kind }) => kind)).toEqual(['alarm-began', 'alarm-ended']);
  });

  it('is ended by a gateway administrator or a manager of the lock, and only where nothing else ends it', async () => {
    const { begin } = await restartable();
    const alarms = await begin();
    alarms.raise('jammed', lockId, { reason: 'x' });
    alarms.raise('tampered', lockId, { reason: 'x' });
    expect(await codeOf(() => alarms.end(callers.operator, 'tampered', lockId))).toBe('forbidden');
    expect(await codeOf(() => alarms.end(callers.stranger, 'tampered', noLockId))).toBe('lock-not-found');
    expect(await codeOf(() => alarms.end(callers.admin, 'duress', lockId))).toBe('not-found');
    expect(await codeOf(() => alarms.end(callers.admin, 'jammed', lockId))).toBe('conflict');
    expect(await codeOf(() => alarms.end(callers.manager, 'tampered', lockId))).toBe('done');
    expect(alarms.stats()).toMatchObject({ jammed: 1, tampered: 0 });
    await alarms.stop();
  });

  it('stays active when its end could not be stored', async () => {
    const { clock, locks, store, events, notices } = await restartable();
    let isFull = false;
    const alarms = createAlarmService({
      clock,
      alarms: { ...store, update: (change) => (isFull ? Promise.reject(new Error('full')) : store.update(change)) },
      locks,
      lists: { rights: () => 0 },
      events,
      endAfterMs: minuteMs,
    });
    await alarms.start();
    alarms.raise('event-gap', lockId, { reason: 'x', lost: [{ epoch: 'e', to: 4 }] });
    isFull = true;
    await expect(alarms.end(callers.admin, 'event-gap', lockId)).rejects.toThrow('full');
    expect([alarms.stats()['event-gap'], alarms.isAccepted(lockId, { epoch: 'e', to: 4 })]).toEqual([1, false]);
    isFull = false;
    await clock.advance(10_000);
    expect(store.all()).toHaveLength(1);
    await alarms.stop();
    expect(notices.map(({ kind }) => kind)).toEqual(['alarm-began']);
  });

  it('that another gateway stores begins and ends here as well', async () => {
    const { clock, store, notices, begin } = await restartable();
    const alarms = await begin();
    const alarm = { kind: 'tampered', lockId, since: clock.now(), reason: 'x' } as const;
    await store.update(() => ({ active: [alarm] }));
    expect(alarms.list(callers.admin, all).list).toEqual([alarm]);
    expect(alarms.stored('tampered', lockId)).toBeUndefined();
    await store.update(() => ({ ended: [alarm] }));
    expect([alarms.list(callers.admin, all).list, alarms.ofLock(lockId)]).toEqual([[], []]);
    expect(notices).toEqual([
      { kind: 'alarm-began', alarm: 'tampered', lockId, since: alarm.since, reason: 'x' },
      { kind: 'alarm-ended', alarm: 'tampered', lockId, since: alarm.since },
    ]);
    await alarms.stop();
  });

  it('that this gateway still has to write is not changed by what another one has stored', async () => {
    const { clock, store, notices, begin } = await restartable();
    const alarms = await begin();
    alarms.raise('tampered', lockId, { reason: 'ours' });
    await store.update(() => ({ active: [{ kind: 'tampered', lockId, since: 1, reason: 'theirs' }] }));
    await clock.advance(2_000);
    expect([alarms.ofLock(lockId), store.all()]).toMatchObject([[{ reason: 'ours' }], [{ reason: 'ours' }]]);
    expect(notices).toMatchObject([{ kind: 'alarm-began', reason: 'ours' }]);
    await alarms.stop();
  });

  it('ends when the disk has its end, with what was lost until then, and says who ended it', async () => {
    const { clock, store, notices, begin } = await restartable();
    const alarms = await begin();
    const lost = { epoch: 'e', to: 4 };
    alarms.raise('event-gap', lockId, { reason: 'x', lost: [lost] });
    await alarms.stored('event-gap', lockId);
    const both = await Promise.allSettled([
      alarms.end(callers.manager, 'event-gap', lockId),
      alarms.end(callers.admin, 'event-gap', lockId),
    ]);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not-found' } }]);
    expect([alarms.isAccepted(lockId, lost), store.all(), alarms.ofLock(lockId)]).toEqual([true, [], []]);
    await clock.advance(10_000);
    expect(notices).toMatchObject([{ kind: 'alarm-began' }, { kind: 'alarm-ended', by: 'max' }]);
    await alarms.stop();
  });

  it('of many at once are written and emitted in batches, each once, and an alarm for which somebody waits is written first', async () => {
    const { clock, locks, store, events, notices } = await restartable();
    const writes: number[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const alarms = createAlarmService({
      clock,
      alarms: {
        ...store,
        async update(change) {
          writes.push(change(store).active?.length ?? 0);
          if (writes.length === 1) await held;
          await store.update(change);
        },
      },
      locks,
      lists: { rights: () => 0 },
      events,
      endAfterMs: 0,
    });
    await alarms.start();
    for (let n = 1; n <= 1_200; n++) alarms.raise('offline', n as LockId, { reason: 'x' });
    await clock.advance(2_000);
    expect(writes).toEqual([500]);
    const last = alarms.stored('offline', 1_200 as LockId);
    await last;
    expect([writes, notices.length]).toEqual([[500, 1], 1]);
    release();
    await clock.advance(1);
    expect(writes).toEqual([500, 1, 500, 199]);
    expect(notices).toHaveLength(1_200);
    expect(store.all()).toHaveLength(1_200);
    expect(alarms.stored('offline', 1_200 as LockId)).toBeUndefined();
    await alarms.stop();
  });
});
