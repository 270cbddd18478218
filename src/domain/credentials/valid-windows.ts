// Windows compared and joined: whether one admits all that another does, what both admit, and which one a lock gets of several.
import { isSameWindow, type ValidWindow } from './entry.ts';
import { coversHours, intersectHours, uniteHours } from './week-hours.ts';

const forEver = Number.POSITIVE_INFINITY;

/** The last millisecond. */
function endOf({ endDate }: ValidWindow): number {
  return endDate === 0 ? forEver : endDate;
}

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
  if (hours === null || end < startDate) return null;
  return { startDate, endDate: end === forEver ? 0 : end, hours, once: one.once || other.once };
}

/**
 * The one window that a lock gets, which keeps one for each number: time is cut at every edge, neighbours that admit alike are joined, and
 * the piece of now is taken, else the next, else the last. null: there are no windows.
 */
export function windowForLock(windows: readonly ValidWindow[], now: number): ValidWindow | null {
  const [only] = windows;
  if (only === undefined || windows.length === 1) return only ?? null;
  const pieces = piecesOf(windows);
  return pieces.find((piece) => endOf(piece) >= now) ?? pieces.at(-1) ?? null;
}

function piecesOf(windows: readonly ValidWindow[]): readonly ValidWindow[] {
  const edges = windows.flatMap((one) => (one.endDate === 0 ? [one.startDate] : [one.startDate, one.endDate + 1]));
  const starts = [...new Set(edges)].toSorted((a, b) => a - b);
  const pieces: ValidWindow[] = [];
  for (const [at, startDate] of starts.entries()) {
    const next = starts[at + 1];
    // The first millisecond of all time: an end at 0 would be no end.
    if (next === 1) continue;
    const piece = together(
      windows.filter((one) => one.startDate <= startDate && endOf(one) >= startDate),
      { startDate, endDate: next === undefined ? 0 : next - 1 },
    );
    if (piece === undefined) continue;
    const last = pieces.at(-1);
    const isAlike = last !== undefined && last.endDate + 1 === startDate && isSameWindow({ ...last, ...datesOf(piece) }, piece);
    if (isAlike) pieces[pieces.length - 1] = { ...last, endDate: piece.endDate };
    else pieces.push(piece);
  }
  return pieces;
}

function datesOf({ startDate, endDate }: ValidWindow): Pick<ValidWindow, 'startDate' | 'endDate'> {
  return { startDate, endDate };
}

/** undefined: none of them. */
function together(windows: readonly ValidWindow[], dates: Pick<ValidWindow, 'startDate' | 'endDate'>): ValidWindow | undefined {
  if (windows.length === 0) return undefined;
  const lasting = windows.some(({ once }) => !once) ? windows.filter(({ once }) => !once) : windows;
  const hours = lasting.map((one) => one.hours).reduce(uniteHours);
  return { ...dates, hours, once: lasting.every(({ once }) => once) };
}
