// Formats dates, times and errors for people.
import { Problem } from './api/problem.ts';
import { useApp, useStrings } from './app.ts';

export interface Formats {
  dateTime(ms: number): string;
  /** For scales: day and month, and hour and minute. */
  day(ms: number): string;
  clock(ms: number): string;
  /** With seconds. */
  time(ms: number): string;
  /** Without the date. */
  timeOfDay(ms: number): string;
  /** How long it is before `now`: "5 minutes ago", "yesterday"; after a week the date. What is to come is now: clocks differ a little. */
  ago(ms: number, now: number): string;
  number(value: number): string;
  bytes(value: number): string;
  /** The two largest units. */
  duration(seconds: number): string;
}

/** Formats for the current language and the time zone of this device. */
export function useFormats(): Formats {
  const language = useApp().preferences.language.value;
  // English as outside the United States: the day before the month, 24 hours.
  const locale = language === 'en' ? 'en-GB' : language;
  return {
    dateTime: (ms) => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
    day: (ms) => new Date(ms).toLocaleDateString(locale, { day: 'numeric', month: 'short' }),
    clock: (ms) => new Date(ms).toLocaleTimeString(locale, { timeStyle: 'short' }),
    time: (ms) => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
    timeOfDay: (ms) => new Date(ms).toLocaleTimeString(locale, { timeStyle: 'short' }),
    ago: (ms, now) => ago(locale, ms, now),
    number: (value) => value.toLocaleString(locale),
    bytes(value) {
      if (value < 1e6) return unit(locale, 'kilobyte', Math.ceil(value / 1e3));
      return value < 1e9 ? unit(locale, 'megabyte', Math.floor(value / 1e6)) : unit(locale, 'gigabyte', Math.floor(value / 1e8) / 10);
    },
    duration: (seconds) => duration(locale, seconds),
  };
}

/** A sentence for anything that was thrown. A lock's error code is shown as it is; a conflict shows the gateway's reason. */
export function useProblemText(): (error: unknown) => string {
  const { problems, common } = useStrings();
  return (error) => {
    if (!(error instanceof Problem)) return String(error);
    const { code, detail, lockError, retryAfter } = error;
    if (code === 'rate-limited' && retryAfter !== undefined) return common.waitFor(retryAfter);
    const sentence = problems[code] ?? detail;
    if (lockError !== undefined) return `${sentence} (${lockError})`;
    return code === 'conflict' && detail !== '' ? `${sentence} (${common.wrong(detail)})` : sentence;
  };
}

function unit(locale: string, name: string, value: number, unitDisplay: 'short' | 'long' = 'short'): string {
  return value.toLocaleString(locale, { style: 'unit', unit: name, unitDisplay });
}

const relative = new Map<string, Intl.RelativeTimeFormat>();

function ago(locale: string, ms: number, now: number): string {
  const format = relative.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  relative.set(locale, format);
  const seconds = Math.max(0, now - ms) / 1_000;
  if (seconds < 60) return format.format(0, 'second');
  if (seconds < 3_600) return format.format(-Math.floor(seconds / 60), 'minute');
  if (seconds < 86_400) return format.format(-Math.floor(seconds / 3_600), 'hour');
  if (seconds < 7 * 86_400) return format.format(-Math.floor(seconds / 86_400), 'day');
  return new Date(ms).toLocaleDateString(locale, { dateStyle: 'medium' });
}

function duration(locale: string, seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  const long = (name: string, value: number) => unit(locale, name, value, 'long');
  if (days > 0) return `${long('day', days)} ${long('hour', hours)}`;
  return hours > 0 ? `${long('hour', hours)} ${long('minute', minutes)}` : long('minute', minutes);
}
