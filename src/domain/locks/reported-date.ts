// The date that a lock gives with a report.
import { isPlausibleDate } from '../records/record.ts';

/** The end of the range of a Date (ECMA-262 21.4.1.1). */
const maxDateMs = 8.64e15;

/** Whether the gateway takes a lock's date for the date of what the lock reports; while the gateway's own clock is suspect, it takes any. */
export function isBelievable(date: number | undefined, now: number, clockIsSuspect: () => boolean): date is number {
  if (date === undefined || Math.abs(date) > maxDateMs) return false;
  // Only for dates that look wrong, because this check takes longer than the comparison.
  return isPlausibleDate(date, now) || clockIsSuspect();
}
