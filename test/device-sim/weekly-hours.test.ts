// When hours hold, by a lock's own clock and calendar: against Node's own idea of local time in Berlin (Protocol 5.1).
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Calendar, isWithin, offsetAt, refusalAt } from '../../device-sim/weekly-hours.ts';
import { createTimeZone, nextTransitions } from '../../src/domain/time-zone.ts';

const hour = 3_600_000;
/** As a gateway sends it in winter, for two years. */
const berlin: Calendar = {
  offset: hour,
  transitions: [
    { at: Date.parse('2026-03-29T01:00:00Z'), offset: 2 * hour },
    { at: Date.parse('2026-10-25T01:00:00Z'), offset: hour },
    { at: Date.parse('2027-03-28T01:00:00Z'), offset: 2 * hour },
    { at: Date.parse('2027-10-31T01:00:00Z'), offset: hour },
  ],
  holidays: ['2026-05-01', '2026-12-25'],
};
const at = (text: string) => Date.parse(text);
const office = '12345:420-1140';

describe('weekly hours', () => {
  it.each<[string, string, boolean]>([
    ['before seven in winter', '2026-03-27T05:59:59.999Z', false],
    ['from seven on in winter', '2026-03-27T06:00:00Z', true],
    ['until the minute before nineteen', '2026-03-27T17:59:59.999Z', true],
    ['not from nineteen on', '2026-03-27T18:00:00Z', false],
    ['from seven on in summer', '2026-03-30T05:00:00Z', true],
    ['not at six in summer', '2026-03-30T04:59:59.999Z', false],
    ['not on a Saturday', '2026-03-28T10:00:00Z', false],
    ['not on a holiday that is a Friday', '2026-05-01T10:00:00Z', false],
    ['on the Monday after it', '2026-05-04T10:00:00Z', true],
    ['from seven on in the next winter', '2026-10-26T06:00:00Z', true],
  ])('%s', (_title, when, expected) => {
    expect(isWithin(office, at(when), berlin, 0)).toBe(expected);
  });

  it('with 8 hold on a holiday alone', () => {
    expect(isWithin(`${office};8:600-720`, at('2026-12-25T10:30:00Z'), berlin, 0)).toBe(true);
    expect(isWithin(`${office};8:600-720`, at('2026-12-25T12:00:00Z'), berlin, 0)).toBe(false);
    expect(isWithin('8:0-1440', at('2026-12-24T10:30:00Z'), berlin, 0)).toBe(false);
  });

  // As a gateway sends it once; the lock is away from then on.
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata', 'UTC'])(
    'hold as the local time of %s says, over the changes of a year away',
    (name) => {
      const from = at('2026-01-02T00:00:00Z');
      const zone = createTimeZone(name);
      const calendar = { offset: zone.offsetAt(from), transitions: [...nextTransitions(zone, from, 4)], holidays: [] };
      const format = new Intl.DateTimeFormat('en-GB', {
        ...{ timeZone: name, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
      });
      const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
      const near = calendar.transitions.slice(0, 2).map(({ at: change }) => fc.integer({ min: change - 3 * hour, max: change + 3 * hour }));
      const instant = fc.oneof(fc.integer({ min: from, max: from + 360 * 24 * hour }), ...near);
      fc.assert(
        fc.property(instant, fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 }), (now, one, other) => {
          const [first, end] = one < other ? [one, other] : [Math.min(other, one), one + 1];
          const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
          const minute = Number(parts['hour']) * 60 + Number(parts['minute']);
          const isOn = days.indexOf(parts['weekday'] ?? '') < 5 && first <= minute && minute < end;
          expect(isWithin(`12345:${first}-${end}`, now, calendar, 0)).toBe(isOn);
        }),
        { numRuns: 1_000 },
      );
    },
  );

  it('follow what set-clock says until there is a calendar, and then that alone', () => {
    expect(offsetAt(0, undefined, 5 * hour)).toBe(5 * hour);
    expect(offsetAt(0, berlin, 5 * hour)).toBe(hour);
  });

  it('and dates open nothing without a clock, and are told apart', () => {
    const window = { startDate: 5, endDate: 0, hours: office };
    expect(refusalAt({ ...window, startDate: 0 }, undefined, berlin, 0)).toBe('clock-not-set');
    expect(refusalAt(window, 4, berlin, 0)).toBe('not-valid-now');
    expect(refusalAt(window, at('2026-03-28T10:00:00Z'), berlin, 0)).toBe('schedule');
    expect(refusalAt(window, at('2026-03-27T10:00:00Z'), berlin, 0)).toBeUndefined();
    expect(refusalAt({ startDate: 0, endDate: 0 }, undefined, undefined, 0)).toBeUndefined();
  });
});
