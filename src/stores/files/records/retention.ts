// Which day files are too old (Store 4.5).
import { retentionCutoff } from '../../../domain/records/record.ts';
import { type DayName, utcDay } from './day-file.ts';

const dayMs = 86_400_000;
/** However late somebody corrects the clock, one run deletes at most this many days. */
const mostDays = 7;

/**
 * The files whose records are all older than `recordDays` days or six calendar months; at most those of the oldest seven days. The files must be
 * in the order of their recordIds. A record's lockDate may be a day after that of its file, so a file stays a day longer.
 */
export function filesToPurge<T extends { readonly name: DayName }>(files: readonly T[], now: number, recordDays: number): T[] {
  const cutoff = retentionCutoff(now, recordDays);
  const days = believableDays(
    files.map(({ name }) => name.day),
    utcDay(now),
  );
  const old = files.filter((_, n) => Date.parse(days[n] as string) + 2 * dayMs <= cutoff);
  const oldest = [...new Set(old.map(({ name }) => name.day))].slice(0, mostDays);
  return old.filter(({ name }) => oldest.includes(name.day));
}

/**
 * No record is left of a lock that was removed before this time: its last ones, dated at most a day ahead, were in a file that is deleted.
 */
export function lastRemovalWithoutRecords(now: number, recordDays: number): number {
  return retentionCutoff(now, recordDays) - 2 * dayMs;
}

/**
 * recordIds rise with time, but the days of a wrong clock do not: a file is at least as young as every file before it, and a file from the
 * future is as young as the next one that is not.
 */
function believableDays(days: readonly string[], today: string): string[] {
  let youngest = '';
  const rising = days.map((day) => {
    if (day > today) return undefined;
    if (day > youngest) youngest = day;
    return youngest;
  });
  let next = today;
  return rising
    .toReversed()
    .map((day) => {
      next = day ?? next;
      return next;
    })
    .toReversed();
}
