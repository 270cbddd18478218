// When a card or passcode opens, by the lock's own clock and calendar (Protocol 5.1, 5.3 rule 4).
import type { z } from 'zod';
import { commandArguments } from '../src/drivers/native/messages.ts';
import { admits, alwaysValid } from './card-memory.ts';

/** What `set-calendar` has left in the memory. */
export const calendar = commandArguments['set-calendar'];
export type Calendar = z.infer<typeof calendar>;

export interface Window {
  readonly startDate: number;
  readonly endDate: number;
  readonly hours?: string;
}

const dayMs = 86_400_000;

/** How far local time is ahead of UTC: by the calendar, or, before the first one, by what set-clock said. */
export function offsetAt(now: number, known: Calendar | undefined, timezoneRawOffset: number): number {
  if (known === undefined) return timezoneRawOffset;
  return known.transitions.findLast(({ at }) => at <= now)?.offset ?? known.offset;
}

/** Whether these hours hold now. On a holiday only lines with 8 count. */
export function isWithin(hours: string, now: number, known: Calendar | undefined, timezoneRawOffset: number): boolean {
  const local = now + offsetAt(now, known, timezoneRawOffset);
  const date = new Date(local).toISOString().slice(0, 10);
  // 1970-01-01 was a Thursday.
  const weekday = ((((Math.floor(local / dayMs) + 3) % 7) + 7) % 7) + 1;
  const day = known?.holidays.includes(date) === true ? 8 : weekday;
  const minute = Math.floor((((local % dayMs) + dayMs) % dayMs) / 60_000);
  return hours.split(';').some((line) => {
    const [, days = '', from, to] = /^([1-8]+):(\d+)-(\d+)$/.exec(line) ?? [];
    return days.includes(String(day)) && Number(from) <= minute && minute < Number(to);
  });
}

/** Why it does not open now; undefined: it does. */
export function refusalAt(
  window: Window,
  now: number | undefined,
  known: Calendar | undefined,
  timezoneRawOffset: number,
): 'clock-not-set' | 'not-valid-now' | 'schedule' | undefined {
  if (alwaysValid(window) && window.hours === undefined) return undefined;
  if (now === undefined) return 'clock-not-set';
  if (!admits(window, now)) return 'not-valid-now';
  return window.hours === undefined || isWithin(window.hours, now, known, timezoneRawOffset) ? undefined : 'schedule';
}
