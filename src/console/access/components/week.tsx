// A week as bars: one for each day and one for holidays, from midnight to midnight.
import { useTexts } from '../texts.ts';
import type { ScheduleHours } from '../types.ts';

const minutesOfDay = 1440;

/** `08:30` for 510 minutes. */
export function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

export function Week({ hours }: { readonly hours: readonly ScheduleHours[] }) {
  const { schedules: texts } = useTexts();
  const linesOf = (day: number) => hours.filter(({ days }) => days.includes(day));
  const wordsOf = (day: number) =>
    linesOf(day)
      .map(({ from, to }) => `${clockText(from)}–${clockText(to)}`)
      .join(', ') || texts.closed;
  return (
    <dl class="week">
      {texts.shortDays.map((name, index) => (
        <div key={name}>
          <dt>
            <abbr title={texts.days[index]}>{name}</abbr>
          </dt>
          <dd>
            <svg viewBox={`0 0 ${minutesOfDay} 10`} preserveAspectRatio="none" aria-hidden="true">
              {linesOf(index + 1).map(({ from, to }) => (
                <rect key={from} x={from} width={to - from} height="10" />
              ))}
            </svg>
            <span>{wordsOf(index + 1)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
