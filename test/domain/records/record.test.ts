import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordDaysAtMost, recordLabel, retentionCutoff } from '../../../src/domain/records/record.ts';

describe('retentionCutoff', () => {
  it('is at least 181 days ago on any day, so that younger dates need no calendar', () => {
    for (let day = 0; day < 4 * 366; day++) {
      const now = Date.parse('2024-01-01T12:00:00Z') + day * 86_400_000;
      expect((now - retentionCutoff(now, recordDaysAtMost)) / 86_400_000).toBeGreaterThanOrEqual(181);
    }
  });

  it.each([
    ['2026-11-21T09:30:15.123Z', '2026-05-21T09:30:15.123Z'],
    ['2026-08-31T23:59:59.999Z', '2026-02-28T23:59:59.999Z'],
    ['2028-08-31T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2027-08-29T12:00:00.000Z'],
    ['2026-12-31T01:02:03.004Z', '2026-06-30T01:02:03.004Z'],
    ['2026-05-31T06:00:00.000Z', '2025-11-30T06:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', '2025-07-01T00:00:00.000Z'],
  ])('goes back six calendar months from %s to %s, clamped to the month, time of day kept (Specification 8)', (now, cutoff) => {
    expect(new Date(retentionCutoff(Date.parse(now), recordDaysAtMost)).toISOString()).toBe(cutoff);
  });

  it('goes back fewer days where fewer are kept, and never beyond six months', () => {
    const now = Date.UTC(2026, 10, 21, 9);
    for (const days of [30, 90, 180]) expect(retentionCutoff(now, days)).toBe(now - days * 86_400_000);
    for (let day = 0; day < 4 * 366; day++) {
      const at = now + day * 86_400_000;
      expect(retentionCutoff(at, recordDaysAtMost)).toBeGreaterThanOrEqual(at - 184 * 86_400_000);
      expect(retentionCutoff(at, 183)).toBeGreaterThanOrEqual(retentionCutoff(at, recordDaysAtMost));
    }
  });

  it('never goes backwards while time goes on (Specification 8)', () => {
    const date = fc.date({ min: new Date('1971-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.nat(40 * 86_400_000), (now, later) => {
        // Within the clamped end of a month the time of day may fall back by less than a day.
        expect(retentionCutoff(now.getTime() + later, recordDaysAtMost)).toBeGreaterThan(
          retentionCutoff(now.getTime(), recordDaysAtMost) - 86_400_000,
        );
      }),
    );
  });
});

describe('recordLabel', () => {
  it.each([
    ['remote-unlock', 'unlock by gateway'],
    ['remote-lock', 'lock by gateway'],
    ['card-unlock', 'unlock by IC card'],
    ['card-lock', 'lock by IC card'],
    ['passcode-unlock', 'unlock by passcode'],
    ['passcode-lock', 'lock by passcode'],
    ['phone-unlock', 'unlock by app'],
    ['phone-lock', 'lock by app'],
    ['fingerprint-unlock', 'unlock by fingerprint'],
    ['key-unlock', 'unlock by mechanical key'],
    ['inside-unlock', 'unlock from inside'],
    ['inside-lock', 'lock from inside'],
    ['auto-lock', 'auto lock'],
    ['door-open', 'door opened'],
    ['door-close', 'door closed'],
    ['tamper', 'tamper alert'],
    ['jammed', 'lock jammed'],
    ['low-battery', 'low battery'],
    ['duress', 'duress alarm'],
  ])('calls %s "%s" (HTTP API 5.7)', (type, label) => {
    expect(recordLabel(type)).toBe(label);
  });

  it.each(['pet-flap', 'constructor', '__proto__', 'toString', ''])('shows the type %p of a lock as it was sent (HTTP API 5.7)', (type) => {
    expect(recordLabel(type)).toBe(type);
  });
});
