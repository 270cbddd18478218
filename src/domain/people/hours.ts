// Weekly hours as one text, such as `12345:480-1080;67:540-720`, and what may be asked of them. Days 1 (Monday) to 7, 8: a holiday; minutes
// of the day, the end not included; empty: always. Equal hours have equal texts: days ascend, lines are sorted, and lines of a day neither
// overlap nor touch.
import type { ScheduleHours } from './person.ts';

/** From and to of the open times of one day, ascending, apart from each other. */
type DayHours = readonly (readonly [from: number, to: number])[];

const days = [1, 2, 3, 4, 5, 6, 7, 8];
const wholeDay = 1_440;
const always = '';
/** Hours at which nothing is open: no lock gets them. */
export const never = 'never';

/**
 * The text of these lines; `never` without any. When it takes more lines than `linesAtMost`, the lines with the fewest minutes of a week are
 * left out: narrower than asked for, never wider.
 */
export function hoursText(lines: readonly ScheduleHours[], linesAtMost = Number.POSITIVE_INFINITY): string {
  return textOf(
    days.map((day) => joined(lines.filter((line) => line.days.includes(day)).map(({ from, to }) => [from, to] as const))),
    linesAtMost,
  );
}

/** The lines of a text. */
export function hoursOf(text: string): readonly ScheduleHours[] {
  if (text === always) return [{ days, from: 0, to: wholeDay }];
  if (text === never) return [];
  return text.split(';').map((line) => {
    const [, onDays = '', from, to] = /^(\d+):(\d+)-(\d+)$/.exec(line) ?? [];
    return { days: [...onDays].map(Number), from: Number(from), to: Number(to) };
  });
}

/** Open when one of them is. */
export function unionOfHours(texts: readonly string[], linesAtMost = Number.POSITIVE_INFINITY): string {
  const [first = never, ...others] = new Set(texts);
  if (first === always || others.includes(always)) return always;
  if (others.length === 0 && linesIn(first) <= linesAtMost) return first;
  return hoursText([first, ...others].flatMap(hoursOf), linesAtMost);
}

/** Into how many lines this text is divided. */
export function linesIn(text: string): number {
  if (text === always || text === never) return 0;
  let lines = 1;
  for (let at = text.indexOf(';'); at >= 0; at = text.indexOf(';', at + 1)) lines += 1;
  return lines;
}

function joined(times: readonly (readonly [from: number, to: number])[]): DayHours {
  const apart: [number, number][] = [];
  for (const [from, to] of times.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else apart.push([from, to]);
  }
  return apart;
}

function textOf(week: readonly DayHours[], linesAtMost: number): string {
  /** The days on which exactly these times are open. */
  const daysOf = new Map<string, { days: string; minutes: number }>();
  for (const [index, times] of week.entries()) {
    for (const [from, to] of times) {
      const line = daysOf.get(`${from}-${to}`) ?? { days: '', minutes: 0 };
      daysOf.set(`${from}-${to}`, { days: line.days + days[index], minutes: line.minutes + to - from });
    }
  }
  if (daysOf.get(`0-${wholeDay}`)?.days === days.join('')) return always;
  const lines = [...daysOf].map(([times, line]) => ({ text: `${line.days}:${times}`, minutes: line.minutes }));
  const fitting = lines.length <= linesAtMost ? lines : lines.toSorted((a, b) => b.minutes - a.minutes || compare(a.text, b.text));
  const texts = fitting.slice(0, linesAtMost).map(({ text }) => text);
  return texts.length === 0 ? never : texts.sort(compare).join(';');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
