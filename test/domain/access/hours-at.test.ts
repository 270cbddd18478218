// Weekly hours in the local time of the building, over both changes of the clocks.
import { expect, test } from '@jest/globals';
import { opensAt } from '../../../src/domain/access/hours-at.ts';
import { createTimeZone } from '../../../src/domain/time-zone.ts';

const calendar = { zone: createTimeZone('Europe/Berlin'), holidays: ['2026-12-25'] };
const window = { startDate: 0, endDate: 0, hours: '12345:420-1140' };
const at = (text: string): number => Date.parse(text);

test.each([
  ['a Friday before seven', '2026-11-20T06:59:59.999+01:00', false],
  ['a Friday at seven', '2026-11-20T07:00:00.000+01:00', true],
  ['a Friday a moment before seven in the evening', '2026-11-20T18:59:59.999+01:00', true],
  ['a Friday at seven in the evening', '2026-11-20T19:00:00.000+01:00', false],
  ['a Saturday', '2026-11-21T12:00:00.000+01:00', false],
  ['a Sunday', '2026-11-22T12:00:00.000+01:00', false],
  ['a Monday', '2026-11-23T12:00:00.000+01:00', true],
  ['a holiday on a Friday', '2026-12-25T12:00:00.000+01:00', false],
  ['the Friday before the clocks change in spring', '2026-03-27T07:00:00.000+01:00', true],
  ['the Monday after it, at seven in the new time', '2026-03-30T07:00:00.000+02:00', true],
  ['the same Monday an hour earlier', '2026-03-30T06:30:00.000+02:00', false],
  ['the Monday after the change in autumn', '2026-10-26T07:00:00.000+01:00', true],
  ['the same Monday half an hour earlier', '2026-10-26T06:30:00.000+01:00', false],
])('from seven to seven on working days: %s', (_, date, expected) => {
  expect(opensAt(window, at(date), calendar)).toBe(expected);
});

test('an hour that comes twice is open twice, and one that does not exist never', () => {
  const night = { ...window, hours: '7:120-180' };
  const hits = (from: string, to: string) => {
    let open = 0;
    for (let now = at(from); now < at(to); now += 60_000) if (opensAt(night, now, calendar)) open += 1;
    return open;
  };
  expect(hits('2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00')).toBe(120);
  expect(hits('2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00')).toBe(0);
  expect(hits('2026-11-22T00:00:00+01:00', '2026-11-23T00:00:00+01:00')).toBe(60);
});

test('a day 8 counts on holidays alone, and both ends of the dates are included', () => {
  const onHolidays = { startDate: at('2026-12-25T10:00:00Z'), endDate: at('2026-12-25T11:00:00Z'), hours: '8:0-1440' };
  const open = (text: string) => opensAt(onHolidays, at(text), calendar);
  expect(['2026-12-25T09:59:59.999Z', '2026-12-25T10:00:00Z', '2026-12-25T11:00:00Z', '2026-12-25T11:00:00.001Z'].map(open)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(opensAt({ startDate: 0, endDate: 0, hours: '8:0-1440' }, at('2026-12-24T12:00:00Z'), calendar)).toBe(false);
});
