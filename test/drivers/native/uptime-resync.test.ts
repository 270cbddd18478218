import { describe, expect, it } from '@jest/globals';
import { createUptimeResync } from '../../../src/drivers/native/uptime-resync.ts';
import { lockId } from '../../support/domain.ts';
import { createFakeLink } from '../../support/fake-link.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

function setUp() {
  const clock = createSettableClock();
  const link = createFakeLink({ clock });
  const reasons: string[] = [];
  const resync = createUptimeResync({
    clock,
    link,
    emit: (_name, event) => void ('reason' in event && reasons.push(String(event.reason))),
  });
  link.connect(lockId);
  return { clock, link, reasons, resync };
}

describe('a lock whose uptime counter has drifted', () => {
  it('loses its connection, so that it comes back with a new hello (Protocol 5.4 rule 3)', () => {
    const { link, reasons, resync } = setUp();
    resync(lockId);
    expect(link.session(lockId)).toBeUndefined();
    expect(reasons).toEqual(['its uptime counter has drifted: a new hello is needed']);
  });

  it('soon again when the new one is no better, then less and less often: reconnections would keep a busy gateway busy', async () => {
    const { clock, link, resync } = setUp();
    const askedAfter: number[] = [];
    resync(lockId);
    for (let second = 1; second <= 300; second++) {
      if (link.session(lockId) === undefined) link.connect(lockId);
      await clock.advance(1_000);
      resync(lockId);
      if (link.session(lockId) === undefined) askedAfter.push(second);
    }
    expect(askedAfter).toEqual([2, 6, 14, 30, 62, 122, 182, 242]);
  });

  it('at once when the last one was long ago', async () => {
    const { clock, link, resync } = setUp();
    for (let hour = 0; hour < 3; hour++) {
      for (const wait of [0, 2_000, 4_000]) {
        await clock.advance(wait);
        if (link.session(lockId) === undefined) link.connect(lockId);
        resync(lockId);
        expect(link.session(lockId)).toBeUndefined();
      }
      await clock.advance(3_600_000);
    }
  });
});
