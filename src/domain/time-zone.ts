// The local time of the building: what people mean by "from seven", and by a date without a time. Its rules come from Intl, as of the Node
// that runs.

export interface TimeZone {
  /** The IANA name, such as `Europe/Berlin`. */
  readonly name: string;
  /** Milliseconds that local time is ahead of UTC at this instant (epoch ms). */
  offsetAt(at: number): number;
}

/** From `at` on (epoch ms), local time is UTC plus `offset` (ms). */
export interface ZoneTransition {
  readonly at: number;
  readonly offset: number;
}

const dayMs = 86_400_000;
/** As far as a date may be from 1970. */
const greatestDate = 8_640_000_000_000_000;
/** Four transitions of a zone that changes twice a year lie within two years. */
const horizonDays = 3 * 366;

/** Throws a RangeError for a name that is no IANA time zone. */
export function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return {
    name: format.resolvedOptions().timeZone,
    offsetAt(at) {
      const shown = format.format(Math.min(greatestDate, Math.max(-greatestDate, at)));
      const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(shown) ?? [];
      const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
      return sign === '-' ? -offset : offset;
    },
  };
}

/**
 * The next transitions after an instant, at most `count` of them, as far as they lie within three years. None of a zone has ever come less
 * than a day after another in our time, so one look for each day finds them.
 */
export function nextTransitions(zone: Pick<TimeZone, 'offsetAt'>, after: number, count: number): readonly ZoneTransition[] {
  const found: ZoneTransition[] = [];
  let from = after;
  let offset = zone.offsetAt(from);
  for (let day = 0; day < horizonDays && found.length < count; day++) {
    const to = from + dayMs;
    const later = zone.offsetAt(to);
    if (later !== offset) found.push({ at: firstWith(zone, later, from, to), offset: later });
    from = to;
    offset = later;
  }
  return found;
}

/** The first instant with this offset in a span at whose end it holds, and in which it begins once. */
function firstWith(zone: Pick<TimeZone, 'offsetAt'>, offset: number, from: number, to: number): number {
  let [before, at] = [from, to];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (zone.offsetAt(middle) === offset) at = middle;
    else before = middle;
  }
  return at;
}
