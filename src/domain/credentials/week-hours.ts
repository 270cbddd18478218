// Weekly hours as locks understand them (`ValidWindow.hours`): union, intersection, comparison.

const days = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const minutesOfDay = 1440;

/** From a minute of the day to another one, which is not included. */
type Span = readonly [from: number, to: number];
/** The spans of each day, ascending and apart from each other. */
type Week = ReadonlyMap<number, readonly Span[]>;

/** When either of them opens. */
export function uniteHours(one: string, other: string): string {
  if (one === other) return one;
  if (one === '' || other === '') return '';
  const [left, right] = [weekOf(one), weekOf(other)];
  return textOf(new Map(days.map((day) => [day, joined([...spansOf(left, day), ...spansOf(right, day)])])));
}

/** When both of them open; null: never. */
export function intersectHours(one: string, other: string): string | null {
  if (one === other || other === '') return one;
  if (one === '') return other;
  const [left, right] = [weekOf(one), weekOf(other)];
  const both = new Map(days.map((day) => [day, overlapping(spansOf(left, day), spansOf(right, day))]));
  return days.every((day) => spansOf(both, day).length === 0) ? null : textOf(both);
}

/** Whether `wide` opens whenever `narrow` does. */
export function coversHours(wide: string, narrow: string): boolean {
  return wide === '' || wide === narrow || sameText(uniteHours(wide, narrow)) === sameText(wide);
}

function sameText(hours: string): string {
  return hours === '' ? '' : textOf(weekOf(hours));
}

function weekOf(hours: string): Week {
  const week = new Map<number, Span[]>();
  for (const line of hours === '' ? [`${days.join('')}:0-${minutesOfDay}`] : hours.split(';')) {
    const [on = '', span = ''] = line.split(':');
    const [from = 0, to = 0] = span.split('-').map(Number);
    for (const day of on) week.set(Number(day), [...(week.get(Number(day)) ?? []), [from, to]]);
  }
  return new Map([...week].map(([day, spans]) => [day, joined(spans)]));
}

function spansOf(week: Week, day: number): readonly Span[] {
  return week.get(day) ?? [];
}

function joined(spans: readonly Span[]): readonly Span[] {
  const all: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else if (to > from) all.push([from, to]);
  }
  return all;
}

function overlapping(some: readonly Span[], others: readonly Span[]): readonly Span[] {
  const both = some.flatMap(([from, to]) => others.map(([low, high]): Span => [Math.max(from, low), Math.min(to, high)]));
  return joined(both.filter(([from, to]) => to > from));
}

/** Days ascending, lines sorted; empty: always. */
function textOf(week: Week): string {
  const daysOf = new Map<string, string>();
  for (const day of days) {
    for (const [from, to] of spansOf(week, day)) daysOf.set(`${from}-${to}`, `${daysOf.get(`${from}-${to}`) ?? ''}${day}`);
  }
  const isAlways = daysOf.size === 1 && daysOf.get(`0-${minutesOfDay}`) === days.join('');
  return isAlways
    ? ''
    : [...daysOf]
        .map(([span, on]) => `${on}:${span}`)
        .toSorted()
        .join(';');
}
