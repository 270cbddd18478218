// From several windows to one. A lock stores one window for each number, grants may be several. So time is cut at each edge: in a piece the
// hours are the union of the windows that are valid throughout it. The lock gets the piece of now, or else the next. A lock that is away
// shuts at the end of its piece: it never admits more than the union of the windows, at worst less.
import { isSameWindow, type ValidWindow } from '../credentials/entry.ts';
import { linesIn, never, unionOfHours } from './hours.ts';

export interface WindowPiece {
  readonly window: ValidWindow;
  /** Which of the windows it consists of, by their places. */
  readonly of: readonly number[];
}

const begin = ({ startDate }: ValidWindow): number => (startDate === 0 ? Number.NEGATIVE_INFINITY : startDate);
/** The first millisecond that no longer belongs to it. */
const edge = ({ endDate }: ValidWindow): number => (endDate === 0 ? Number.POSITIVE_INFINITY : endDate + 1);

/**
 * All pieces, in the order of time, apart from each other, neighbours that are equal joined. No window has more lines of hours than
 * `linesAtMost`; what is beyond is left out (see `hoursText`).
 */
export function piecesOf(windows: readonly ValidWindow[], linesAtMost = Number.POSITIVE_INFINITY): readonly WindowPiece[] {
  const [first] = windows;
  if (first === undefined) return [];
  if (windows.length === 1 && linesIn(first.hours) <= linesAtMost) return isEmpty(first) ? [] : [{ window: first, of: [0] }];
  const edges = [...new Set(windows.flatMap((one) => (isEmpty(one) ? [] : [begin(one), edge(one)])))].sort((a, b) => a - b);
  const pieces: WindowPiece[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const to = edges[index + 1] as number;
    const of = [...windows.keys()].filter((place) => isThroughout(windows[place] as ValidWindow, from, to));
    // Before the first millisecond of all time: an end at 0 would be no end.
    if (of.length === 0 || to === 1) continue;
    const valid = of.map((place) => windows[place] as ValidWindow);
    const hours = unionOfHours(
      valid.map((one) => one.hours),
      linesAtMost,
    );
    if (hours === never) continue;
    const once = valid.every((one) => one.once);
    const window = {
      startDate: from === Number.NEGATIVE_INFINITY ? 0 : from,
      endDate: to === Number.POSITIVE_INFINITY ? 0 : to - 1,
      hours,
      once,
    };
    const last = pieces.at(-1);
    if (last !== undefined && edge(last.window) === from && last.window.hours === hours && last.window.once === once) {
      pieces[pieces.length - 1] = {
        window: { ...window, startDate: last.window.startDate },
        of: [...new Set([...last.of, ...of])],
      };
    } else pieces.push({ window, of });
  }
  return pieces;
}

/** The piece of `now`, else the next; undefined: all have ended. */
export function pieceAt(pieces: readonly WindowPiece[], now: number): WindowPiece | undefined {
  return pieces.find(({ window }) => edge(window) > now);
}

/** The window that a lock gets of several, now; null: all have ended. */
export function windowAt(windows: readonly ValidWindow[], now: number, linesAtMost?: number): ValidWindow | null {
  const [first] = windows;
  if (
    first !== undefined &&
    windows.every((one) => isSameWindow(one, first)) &&
    linesIn(first.hours) <= (linesAtMost ?? Number.POSITIVE_INFINITY)
  )
    return isEmpty(first) || edge(first) <= now ? null : first;
  return pieceAt(piecesOf(windows, linesAtMost), now)?.window ?? null;
}

/** The part that two of them share; undefined: there is none. */
export function sharedDates(
  one: Pick<ValidWindow, 'startDate' | 'endDate'>,
  other: Pick<ValidWindow, 'startDate' | 'endDate'>,
): Pick<ValidWindow, 'startDate' | 'endDate'> | undefined {
  const startDate = Math.max(one.startDate, other.startDate);
  const endDate = one.endDate === 0 || other.endDate === 0 ? Math.max(one.endDate, other.endDate) : Math.min(one.endDate, other.endDate);
  return endDate !== 0 && endDate < startDate ? undefined : { startDate, endDate };
}

function isThroughout(window: ValidWindow, from: number, to: number): boolean {
  return begin(window) <= from && to <= edge(window);
}

function isEmpty(window: ValidWindow): boolean {
  return window.hours === never || edge(window) <= begin(window);
}
