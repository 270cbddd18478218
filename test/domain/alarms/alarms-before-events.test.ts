import { describe, expect, it } from '@jest/globals';
import { createAlarmsBeforeEvents } from '../../../src/domain/alarms/alarms-before-events.ts';
import { lockId, otherLockId } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

function deferred() {
  let resolve = (): void => undefined;
  let reject = (_error: Error): void => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

describe('events and the alarms that they begin', () => {
  it('lets events without an alarm pass at once', () => {
    expect(createAlarmsBeforeEvents().wait(lockId, undefined)).toBeUndefined();
  });

  it('lets the events behind those of an alarm not overtake them, and those of another lock pass', async () => {
    const order: string[] = [];
    const { wait } = createAlarmsBeforeEvents();
    const alarm = deferred();
    void wait(lockId, alarm.promise)?.then(() => {
      order.push('first');
      // Comes in while the first is stored.
      expect(wait(lockId, undefined)).toBeDefined();
    });
    void wait(lockId, undefined)?.then(() => void order.push('second'));
    expect(wait(otherLockId, undefined)).toBeUndefined();
    await settled();
    expect(order).toEqual([]);
    alarm.resolve();
    await settled();
    expect(order).toEqual(['first', 'second']);
    expect(wait(lockId, undefined)).toBeUndefined();
  });

  it('rejects the events of an alarm that the disk does not take, and not those behind them', async () => {
    const { wait } = createAlarmsBeforeEvents();
    const alarm = deferred();
    const first = wait(lockId, alarm.promise);
    const second = wait(lockId, undefined);
    alarm.reject(new Error('full'));
    await expect(first).rejects.toThrow('full');
    await expect(second).resolves.toBeUndefined();
  });
});
