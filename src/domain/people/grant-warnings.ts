// What the locks of a grant cannot do of it. The grant is made all the same: a lock may be replaced, or its firmware. A lock that is away is no
// warning.
import { passcodeDigitsOf } from '../credentials/passcode-rules.ts';
import type { Drivers } from '../locks/driver.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import { hoursLinesOf } from './granted-numbers.ts';
import { hoursText, linesIn } from './hours.ts';
import type { ScheduleStore } from './people-ports.ts';
import type { Grant, Person } from './person.ts';

export interface GrantWarning {
  readonly lockId: LockId;
  readonly code: 'not-supported';
  /** What the lock cannot: "has no keypad". */
  readonly message: string;
}

export type WarningsOf = (person: Person, grant: Grant, lockIds: Iterable<LockId>) => readonly GrantWarning[];

export function createGrantWarnings(options: {
  readonly locks: Pick<LockStore, 'get'>;
  readonly drivers: Pick<Drivers, 'capabilities' | 'passcodeForm'>;
  readonly schedules: Pick<ScheduleStore, 'get'>;
}): WarningsOf {
  const { locks, drivers, schedules } = options;

  function* messagesFor(lock: Lock, { credentials }: Person, { scheduleId }: Grant): Iterable<string> {
    const can = drivers.capabilities(lock);
    const passcodes = credentials.filter(({ kind }) => kind === 'passcode');
    if (!can.cards && passcodes.length < credentials.length) yield 'takes no cards';
    const form = drivers.passcodeForm(lock);
    const [fewest, most] = passcodeDigitsOf(lock, form);
    const isUnfit = (code: string) => code.length < fewest || code.length > most || form?.pattern.test(code) === false;
    if (!can.passcodes && passcodes.length > 0) yield 'has no keypad';
    else if (passcodes.some(({ number }) => isUnfit(number)))
      yield form === undefined ? `takes passcodes of ${fewest} to ${most} digits` : `does not take this passcode: it ${form.rule}`;
    const schedule = scheduleId === null ? undefined : schedules.get(scheduleId);
    if (schedule === undefined) return;
    const [lines, atMost] = [linesIn(hoursText(schedule.hours)), hoursLinesOf(lock)];
    if (!can.hours) yield 'has no schedules';
    else if (lines > atMost) yield `takes ${atMost} lines of hours, so ${lines - atMost} of the schedule do not open it`;
  }

  return (person, grant, lockIds) =>
    [...lockIds].flatMap((lockId) => {
      const lock = locks.get(lockId);
      return lock === undefined
        ? []
        : Array.from(messagesFor(lock, person, grant), (message) => ({ lockId, code: 'not-supported' as const, message }));
    });
}
