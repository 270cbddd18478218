// Which passcodes a lock can have, and codes that are made for it.
import { describe, expect, it } from '@jest/globals';
import { createEntries } from '../../../src/domain/credentials/lock-entries.ts';
import { createPasscodeTerms } from '../../../src/domain/credentials/passcode-terms.ts';
import type { Capabilities } from '../../../src/domain/locks/capabilities.ts';
import { sampleSchedule } from '../../stores/files/support/samples.ts';
import { someLock } from '../../support/domain.ts';
import { someEntry, someWindow } from '../../support/entries.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';

const lock = someLock();

function terms(can: Partial<Capabilities> = {}, digits: (count: number) => string = (count) => '482913570'.slice(0, count)) {
  const capabilities = { ...bareCapabilities, passcodes: true, ...can };
  return createPasscodeTerms({
    schedules: { get: (id) => (id === 1 ? sampleSchedule(1) : undefined) },
    drivers: { capabilities: () => capabilities, passcodeForm: () => undefined },
    secrets: { newDigits: digits },
  });
}

describe('the window of a passcode', () => {
  const dates = { startDate: 1, endDate: 2, once: false };
  it('has the hours of its schedule, or none', () => {
    expect(terms().window(dates, null)).toEqual({ ...dates, hours: '' });
    const { hours } = terms().window(dates, 1);
    expect([hours === '', terms().hoursNow(1) === hours]).toEqual([false, true]);
  });

  it('is refused with a schedule that does not exist; what is gone has no hours now', () => {
    expect(() => terms().window(dates, 9)).toThrow(
      expect.objectContaining({ code: 'invalid-parameter', message: 'scheduleId must be the id of a schedule' }),
    );
    expect([terms().hoursNow(9), terms().hoursNow(null)]).toEqual([undefined, undefined]);
  });
});

describe('a lock', () => {
  it.each<[string, Partial<Capabilities>, object]>([
    ['without a memory for passcodes', { passcodes: false }, {}],
    ['without passcodes that open once', { once: false }, { once: true }],
    ['without weekly hours', { hours: false }, { hours: '1:0-60' }],
  ])('%s is not asked to have one', (_what, can, window) => {
    expect(() => terms(can).requireSupport(lock, someWindow(window))).toThrow(expect.objectContaining({ code: 'not-supported' }));
  });

  it('that has them all is asked', () => {
    expect(() => terms({ once: true, hours: true }).requireSupport(lock, someWindow({ once: true, hours: '1:0-60' }))).not.toThrow();
  });
});

describe('a made code', () => {
  it('has as many digits as are asked for, else six', () => {
    expect([terms().newCode(lock, undefined, createEntries()), terms().newCode(lock, 8, createEntries())]).toEqual(['482913', '48291357']);
    expect(() => terms().newCode(lock, 10, createEntries())).toThrow(expect.objectContaining({ code: 'invalid-parameter' }));
  });

  it('is none that the lock has, and the search for one ends', () => {
    const taken = createEntries();
    taken.apply({ put: [someEntry(1, { kind: 'passcode', number: '482913' })] });
    let last = 482_912;
    expect(terms({}, () => String(++last)).newCode(lock, undefined, taken)).toBe('482914');
    expect(() => terms().newCode(lock, undefined, taken)).toThrow(expect.objectContaining({ code: 'conflict' }));
  });
});
