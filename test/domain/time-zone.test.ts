import { describe, expect, it } from '@jest/globals';
import { createTimeZone, nextTransitions } from '../../src/domain/time-zone.ts';

const at = (text: string) => Date.parse(text);
const hours = (count: number) => count * 3_600_000;

describe('the time zone of the building', () => {
  // Written down from the published rules of each place, not computed.
  it.each<[string, string, number, readonly [string, number][]]>([
    [
      'Europe/Berlin',
      '2026-01-01T00:00:00Z',
      1,
      [
        ['2026-03-29T01:00:00Z', 2],
        ['2026-10-25T01:00:00Z', 1],
        ['2027-03-28T01:00:00Z', 2],
        ['2027-10-31T01:00:00Z', 1],
      ],
    ],
    [
      'America/New_York',
      '2026-07-01T12:34:56.789Z',
      -4,
      [
        ['2026-11-01T06:00:00Z', -5],
        ['2027-03-14T07:00:00Z', -4],
        ['2027-11-07T06:00:00Z', -5],
        ['2028-03-12T07:00:00Z', -4],
      ],
    ],
    [
      'Australia/Lord_Howe',
      '2026-01-01T00:00:00Z',
      11,
      [
        ['2026-04-04T15:00:00Z', 10.5],
        ['2026-10-03T15:30:00Z', 11],
        ['2027-04-03T15:00:00Z', 10.5],
        ['2027-10-02T15:30:00Z', 11],
      ],
    ],
    ['UTC', '2026-01-01T00:00:00Z', 0, []],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', 5.5, []],
  ])('%s has its offset, and the next changes of it to the millisecond', (name, from, offset, expected) => {
    const zone = createTimeZone(name);
    expect(zone.offsetAt(at(from))).toBe(hours(offset));
    expect(nextTransitions(zone, at(from), 4)).toEqual(expected.map(([when, then]) => ({ at: at(when), offset: hours(then) })));
    for (const [when, then] of expected) {
      expect(zone.offsetAt(at(when))).toBe(hours(then));
      expect(zone.offsetAt(at(when) - 1)).not.toBe(hours(then));
    }
  });

  it('leaves out a change in the instant of asking, which holds already', () => {
    const zone = createTimeZone('Europe/Berlin');
    expect(nextTransitions(zone, at('2026-03-29T01:00:00Z'), 1)).toEqual([{ at: at('2026-10-25T01:00:00Z'), offset: hours(1) }]);
    expect(nextTransitions(zone, at('2026-03-29T01:00:00Z') - 1, 1)).toEqual([{ at: at('2026-03-29T01:00:00Z'), offset: hours(2) }]);
  });

  it('does not fail for dates at the ends of time', () => {
    const zone = createTimeZone('Europe/Berlin');
    expect(zone.offsetAt(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
    expect(zone.offsetAt(-Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
  });

  it('has its IANA name however it was written, and is refused when there is none', () => {
    expect(createTimeZone('europe/berlin').name).toBe('Europe/Berlin');
    for (const name of ['', 'Nope/Nowhere', '+01:00']) expect(() => createTimeZone(name)).toThrow(RangeError);
  });
});
