// What a lock can have of the passcodes that people ask for: digits, weekly hours, use once.
import { DomainError, invalidParameter } from '../errors.ts';
import type { Drivers } from '../locks/driver.ts';
import type { Lock } from '../locks/lock.ts';
import type { ScheduleStore } from '../people/people-ports.ts';
import { createHoursOfSchedule } from '../people/schedule-hours.ts';
import type { Secrets } from '../secrets.ts';
import type { ValidWindow } from './entry.ts';
import type { EntryLookUp } from './lock-entries.ts';
import { digitsFor, newPasscode, passcodeDigitsOf, requireGoodPasscode } from './passcode-rules.ts';

export interface PasscodeTerms {
  /** The window of a passcode with this schedule (null: at all hours). Throws `invalid-parameter` when there is no such schedule. */
  window(window: Omit<ValidWindow, 'hours'>, scheduleId: number | null): ValidWindow;
  /** The hours of this schedule now; undefined: it has none, or the schedule is gone. */
  hoursNow(scheduleId: number | null): string | undefined;
  /** Throws `not-supported` when the lock is known not to have such passcodes. */
  requireSupport(lock: Lock, window: ValidWindow): void;
  /** Throws `passcode-weak`, or `invalid-parameter` when this lock cannot take it. */
  requireGood(lock: Lock, code: string): void;
  /** A code that nobody can foresee and that none of these entries has; of as many digits as are usual unless somebody says. */
  newCode(lock: Lock, digits: number | undefined, current: EntryLookUp): string;
}

/** So often a code is made anew that the lock has already: it holds so few that the second is nearly always free. */
const triesAtMost = 50;

export function createPasscodeTerms(options: {
  readonly schedules: Pick<ScheduleStore, 'get'>;
  readonly drivers: Pick<Drivers, 'capabilities' | 'passcodeForm'>;
  readonly secrets: Pick<Secrets, 'newDigits'>;
}): PasscodeTerms {
  const { schedules, drivers, secrets } = options;
  const hoursOfSchedule = createHoursOfSchedule(schedules);
  return {
    window(window, scheduleId) {
      if (scheduleId === null) return { ...window, hours: '' };
      const hours = hoursOfSchedule(scheduleId);
      if (hours === undefined) throw invalidParameter('scheduleId', 'must be the id of a schedule');
      return { ...window, hours };
    },
    hoursNow: (scheduleId) => (scheduleId === null ? undefined : hoursOfSchedule(scheduleId)),
    requireSupport(lock, { hours, once }) {
      const can = drivers.capabilities(lock);
      if (!can.passcodes) throw notSupported('this lock has no memory for passcodes');
      if (once && !can.once) throw notSupported('this lock has no passcodes that open once');
      if (hours !== '' && !can.hours) throw notSupported('this lock has no passcodes with weekly hours');
    },
    requireGood(lock, code) {
      const form = drivers.passcodeForm(lock);
      requireGoodPasscode(code, passcodeDigitsOf(lock, form), form);
    },
    newCode(lock, digits, current) {
      const form = drivers.passcodeForm(lock);
      const wanted = digitsFor(digits, passcodeDigitsOf(lock, form));
      for (let tries = 0; tries < triesAtMost; tries++) {
        const code = newPasscode(secrets, wanted, form);
        if (current.byNumber('passcode', code) === undefined) return code;
      }
      throw new DomainError('conflict', 'this lock has nearly all passcodes of so many digits: choose more digits');
    },
  };
}

function notSupported(message: string): DomainError {
  return new DomainError('not-supported', message);
}
