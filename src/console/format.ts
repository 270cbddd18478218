// Dates, times and refusals for people.
import { Problem } from './api/problem.ts';
import { useApp, useStrings } from './app.ts';

export interface Formats {
  dateTime(ms: number): string;
  /** For scales: day and month, and hour and minute. */
  day(ms: number): string;
  clock(ms: number): string;
  /** With seconds. */
  time(ms: number): string;
}

/** In the language of the moment and the time zone of this device. */
export function useFormats(): Formats {
  const language = useApp().preferences.language.value;
  // English as in most of the world: the day before the month, 24 hours.
  const locale = language === 'en' ? 'en-GB' : language;
  return {
    dateTime: (ms) => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
    day: (ms) => new Date(ms).toLocaleDateString(locale, { day: 'numeric', month: 'short' }),
    clock: (ms) => new Date(ms).toLocaleTimeString(locale, { timeStyle: 'short' }),
    time: (ms) => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
  };
}

/** A sentence about anything that was thrown. What a lock said is in its own words; a conflict has its reason from the gateway. */
export function useProblemText(): (error: unknown) => string {
  const { problems } = useStrings();
  return (error) => {
    if (!(error instanceof Problem)) return String(error);
    const { code, detail, lockError } = error;
    const sentence = problems[code] ?? detail;
    if (lockError !== undefined) return `${sentence} (${lockError})`;
    return code === 'conflict' && detail !== '' ? `${sentence} (${detail})` : sentence;
  };
}
