// Which day files are too old to be kept (Store 4.5).
import { retentionCutoff } from '../../../domain/records/record.ts';
import { type DayName, utcDay } from './day-file.ts';

const dayMs = 86_400_000;
/** However late the clock is put right, at most this many days go in one run. */
const mostDays = 7;

/**
 * The files, of those given in the order of their recordIds, whose records are all older than `kept` days or six calendar months; the
 * oldest seven days of them at most. A record's lockDate may be a day ahead of its file's, so a file stays a day longer.
 */
export function filesToPurge<T extends { readonly name: DayName }>(files: readonly T[], now: number, kept: number): T[] {
  const cutoff = retentionCutoff(now, kept);
  const days = believableDays(
    files.map(({ name }) => name.day),
    utcDay(now),
  );
  const old = files.filter((_, n) => Date.parse(days[n] as string) + 2 * dayMs <= cutoff);
  const oldest = [...new Set(old.map(({ name }) => name.day))].slice(0, mostDays);
  return old.filter(({ name }) => oldest.includes(name.day));
}

/** Of a lock that was removed before this, no record is kept: its last ones, dated a day ahead at most, were in a file that is gone. */
export function lastRemovalWithoutRecords(now: number, kept: number): number {
  return retentionCutoff(now, kept) - 2 * dayMs;
}

/**
 * recordIds rise with time, the days of a wrong clock do not: a file is at least as young as every file before it, and
 * one that says it is from the future is as young as the next that does not.
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
