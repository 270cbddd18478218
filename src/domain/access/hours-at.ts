// Whether a window with weekly hours is open at an instant, as a lock judges it by its calendar.
import type { ValidWindow } from '../credentials/entry.ts';
import { hoursOf } from '../people/hours.ts';
import type { TimeZone } from '../time-zone.ts';

/** The local time of the building and its holidays, as local dates such as `2026-12-25`. */
export interface LocalCalendar {
  readonly zone: Pick<TimeZone, 'offsetAt'>;
  readonly holidays: readonly string[];
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const holiday = 8;
/** 1970-01-01 was a Thursday. */
const firstWeekday = 4;

/** The end is included. */
export function opensAt(window: Omit<ValidWindow, 'once'>, at: number, calendar: LocalCalendar): boolean {
  const { startDate, endDate, hours } = window;
  if (at < startDate || (endDate !== 0 && at > endDate)) return false;
  if (hours === '') return true;
  const local = at + calendar.zone.offsetAt(at);
  const days = Math.floor(local / dayMs);
  const minute = Math.floor((local - days * dayMs) / minuteMs);
  const isHoliday = calendar.holidays.includes(new Date(days * dayMs).toISOString().slice(0, 10));
  const day = isHoliday ? holiday : ((days + firstWeekday - 1) % 7) + 1;
  return hoursOf(hours).some((line) => line.days.includes(day) && line.from <= minute && minute < line.to);
}

/** Whether the clock of the lock decides anything about this window. */
export function needsClock({ startDate, endDate, hours }: Omit<ValidWindow, 'once'>): boolean {
  return startDate !== 0 || endDate !== 0 || hours !== '';
}
