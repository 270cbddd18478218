// Days of the gateway's time zone: a file for people says dates, everything else instants.

/** How many milliseconds local time is ahead of UTC at an instant. */
export type OffsetAt = (at: number) => number;

export interface LocalDays {
  /** The first instant of this day (`2026-12-25`); undefined when there is no such date. */
  startOf(date: string): number | undefined;
  /** The first instant of the day after it; undefined when there is no such date. */
  endOf(date: string): number | undefined;
  /** The local date of an instant. */
  dateOf(at: number): string;
}

const dayMs = 86_400_000;
/** No local time is further from UTC. */
const furthestMs = 16 * 3_600_000;
/** A file names few different days. */
const rememberedAtMost = 10_000;

export function createLocalDays(offsetAt: OffsetAt): LocalDays {
  const starts = new Map<number, number>();

  /** The first instant whose local date is this one or later. On the day of a change of the clocks it may not be midnight. */
  function startOfDay(utcMidnight: number): number {
    const known = starts.get(utcMidnight);
    if (known !== undefined) return known;
    let before = utcMidnight - furthestMs;
    let reached = utcMidnight + furthestMs;
    while (reached - before > 1) {
      const middle = Math.floor((before + reached) / 2);
      if (middle + offsetAt(middle) >= utcMidnight) reached = middle;
      else before = middle;
    }
    if (starts.size >= rememberedAtMost) starts.clear();
    starts.set(utcMidnight, reached);
    return reached;
  }

  return {
    startOf(date) {
      const midnight = midnightOf(date);
      return midnight === undefined ? undefined : startOfDay(midnight);
    },
    endOf(date) {
      const midnight = midnightOf(date);
      return midnight === undefined ? undefined : startOfDay(midnight + dayMs);
    },
    dateOf: (at) => new Date(at + offsetAt(at)).toISOString().slice(0, 10),
  };
}

/** The date at midnight UTC; undefined when there is no such date. */
function midnightOf(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  const at = Date.parse(`${date}T00:00:00.000Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? undefined : at;
}
