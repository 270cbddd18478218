import { afterEach, describe, expect, it } from '@jest/globals';
import { createDomain, lockId, otherLockId } from '../support/domain.ts';
import { ok, refusal } from '../support/fake-link.ts';

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
