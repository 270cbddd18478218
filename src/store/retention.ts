// Which day files are too old to be kept.
import { retentionCutoff } from '../domain/record.ts';
import { type DayName, utcDay } from './day-file.ts';

const dayMs = 86_400_000;
/** However late the clock is put right, at most this many days go in one run. */
const mostDays = 7;

/**
 * The files, of those given in the order of their recordIds, whose records are all older than six calendar months; the
 * oldest seven days of them at most. A record's lockDate may be a day ahead of its file's, so a file stays a day longer.
 */
export function filesToPurge<T extends { readonly name: DayName }>(files: readonly T[], now: number): T[] {
  const cutoff = retentionCutoff(now);
  const days = believableDays(
    files.map(({ name }) => name.day),
    utcDay(now),
  );
  const old = files.filter((_, n) => Date.parse(days[n] as string) + 2 * dayMs <= cutoff);
  const oldest = [...new Set(old.map(({ name }) => name.day))].slice(0, mostDays);
  return old.filter(({ name }) => oldest.includes(name.day));
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
