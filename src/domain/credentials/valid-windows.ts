// Windows compared: whether one admits all that another does, and what both admit.
import { hoursOf, hoursText, never, unionOfHours } from '../people/hours.ts';
import type { ValidWindow } from './entry.ts';

/** Whether `wide` admits whenever, and as often as, `narrow` does. */
export function coversWindow(wide: ValidWindow, narrow: ValidWindow): boolean {
  return (
    wide.startDate <= narrow.startDate &&
    endOf(wide) >= endOf(narrow) &&
    (narrow.once || !wide.once) &&
    coversHours(wide.hours, narrow.hours)
  );
}

/** What both admit; null: nothing. */
export function intersectWindows(one: ValidWindow, other: ValidWindow): ValidWindow | null {
  const startDate = Math.max(one.startDate, other.startDate);
  const end = Math.min(endOf(one), endOf(other));
  const hours = intersectHours(one.hours, other.hours);
  if (hours === never || end < startDate) return null;
  return { startDate, endDate: end === Number.POSITIVE_INFINITY ? 0 : end, hours, once: one.once || other.once };
}

/** The last millisecond. */
function endOf({ endDate }: ValidWindow): number {
  return endDate === 0 ? Number.POSITIVE_INFINITY : endDate;
}

function coversHours(wide: string, narrow: string): boolean {
  return wide === narrow || wide === '' || unionOfHours([wide, narrow]) === hoursText(hoursOf(wide));
}

function intersectHours(one: string, other: string): string {
  if (one === other || other === '') return one;
  if (one === '') return other;
  const lines = hoursOf(one).flatMap((line) =>
    hoursOf(other).flatMap((same) => {
      const days = line.days.filter((day) => same.days.includes(day));
      const [from, to] = [Math.max(line.from, same.from), Math.min(line.to, same.to)];
      return from < to && days.length > 0 ? [{ days, from, to }] : [];
    }),
  );
  return hoursText(lines);
}
