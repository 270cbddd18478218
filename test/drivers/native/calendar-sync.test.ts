// Which locks get local time and holidays, when, and what of them (Protocol 5.1). The building is in Berlin, the clock at 2026-11-21.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LockFeatures } from '../../../src/domain/locks/lock.ts';
import { createDomain, lockId } from '../../support/domain.ts';
import { ok, type Replier, refusal } from '../../support/fake-link.ts';

const dayMs = 86_400_000;
const hours: LockFeatures = { features: ['credentials', 'hours'], limits: { holidays: 2 } };
const winter = 3_600_000;
const summer = 7_200_000;
const transitions = [
  { at: Date.parse('2027-03-28T01:00:00Z'), offset: summer },
  { at: Date.parse('2027-10-31T01:00:00Z'), offset: winter },
  { at: Date.parse('2028-03-26T01:00:00Z'), offset: summer },
  { at: Date.parse('2028-10-29T01:00:00Z'), offset: winter },
];

let domain: Awaited<ReturnType<typeof createDomain>>;

async function watched({ features = hours, replier = () => ok }: { features?: LockFeatures | undefined; replier?: Replier } = {}) {
  domain = await createDomain();
  if (features !== undefined) await domain.locks.update(lockId, (lock) => ({ ...lock, features }));
  domain.link.reply(lockId, replier);
  const calendars = () => domain.link.sent.flatMap(({ command }) => (command.op === 'set-calendar' ? [command] : []));
  return { ...domain, calendars };
}

afterEach(async () => {
  await domain.calendarSync.stop();
  await domain.clockSync.stop();
});

describe('the calendar of a lock', () => {
  it('comes after its hello, behind the time, and not to a lock without hours', async () => {
    const { reports, link, clock, calendars } = await watched();
    reports.hello(lockId, { state: 'locked', features: hours });
    await clock.advance(100);
    expect(link.ops()).toEqual(['set-clock', 'set-calendar']);
    expect(calendars()).toEqual([{ op: 'set-calendar', offset: winter, transitions, holidays: [] }]);
    reports.hello(lockId, { state: 'locked', features: { features: ['credentials'], limits: {} } });
    await clock.advance(100);
    expect(link.ops()).toEqual(['set-clock', 'set-calendar', 'set-clock']);
  });

  it('comes also when the time could not be set', async () => {
    const { reports, clock, calendars } = await watched({ replier: ({ op }) => (op === 'set-clock' ? refusal('failed') : ok) });
    reports.hello(lockId, { state: 'locked', features: hours });
    await clock.advance(100);
    expect(calendars()).toHaveLength(1);
  });

  it('comes once a day with the time', async () => {
    const { clockSync, clock, calendars } = await watched();
    await clockSync.start();
    await clock.advance(dayMs + 60_000);
    expect(calendars()).toHaveLength(1);
    await clock.advance(dayMs);
    expect(calendars()).toHaveLength(2);
  });

  it('has the holidays that are to come, as many as the lock takes, as soon as they change', async () => {
    const { schedules, clock, calendars } = await watched();
    await schedules.setHolidays(['2025-12-25', '2026-11-20', '2026-12-25', '2027-01-01']);
    await clock.advance(100);
    expect(calendars().map(({ holidays }) => holidays)).toEqual([['2026-11-20', '2026-12-25']]);
    await schedules.setHolidays(['2026-12-25']);
    await clock.advance(100);
    expect(calendars().at(-1)?.holidays).toEqual(['2026-12-25']);
  });

  it('is that of now when it was sent while the holidays changed', async () => {
    const { schedules, clock, link, calendars } = await watched({ replier: () => undefined });
    await schedules.setHolidays(['2026-12-25']);
    await schedules.setHolidays(['2026-12-26']);
    await schedules.setHolidays(['2026-12-27']);
    for (let round = 0; round < 4; round++) {
      await clock.advance(10);
      for (const { answer } of link.sent) answer(ok);
    }
    expect(calendars().at(-1)?.holidays).toEqual(['2026-12-27']);
    expect(calendars()).toHaveLength(2);
  });

  it('comes again, a minute apart and three times at most, to a lock that does not answer', async () => {
    const { schedules, clock, calendars, notices } = await watched({ replier: ({ op }) => (op === 'set-calendar' ? undefined : ok) });
    await schedules.setHolidays(['2026-12-25']);
    await clock.advance(60 * 60_000);
    expect(calendars()).toHaveLength(3);
    expect(notices.filter(({ kind }) => kind === 'follow-up-failed')).toHaveLength(3);
  });

  it("is not sent while the gateway's own clock is suspect, and then with the time (Fault T19)", async () => {
    const { schedules, clock, gatewayClock, clockSync, calendars } = await watched();
    await clockSync.start();
    gatewayClock.isSuspect = true;
    await schedules.setHolidays(['2026-12-25']);
    await clock.advance(dayMs);
    expect(calendars()).toEqual([]);
    gatewayClock.isSuspect = false;
    await clock.advance(60_000);
    expect(calendars()).toHaveLength(1);
  });

  it('is not sent to a lock that is away, and has the new transitions once one has passed', async () => {
    const { schedules, clock, link, calendars, reports } = await watched();
    link.lose(lockId);
    await schedules.setHolidays(['2026-12-25']);
    await clock.advance(dayMs);
    expect(calendars()).toEqual([]);
    clock.setNow(transitions[0]?.at ?? 0);
    link.connect(lockId, () => ok);
    reports.hello(lockId, { state: 'locked', date: clock.now(), features: hours });
    await clock.advance(100);
    expect(calendars()).toMatchObject([{ offset: summer, holidays: [] }]);
    expect(calendars()[0]?.transitions[0]).toEqual(transitions[1]);
  });
});
