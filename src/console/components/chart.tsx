// One value over time as a line of steps. It uses no chart library, because one would make the console much larger.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useFormats } from '../format.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const heightPx = 200;
const left = 52;
const bottom = 28;
const top = 8;

interface Point {
  /** Epoch ms; the value holds from then on. */
  readonly at: number;
  readonly value: number;
}

interface ChartProps {
  /** What a screen reader says instead of the picture. */
  readonly label: string;
  /** Ordered by time, at least one. The last one holds until now. */
  readonly points: readonly Point[];
  readonly max: number;
  readonly text: (value: number) => string;
}

export function Chart({ label, points, max, text }: ChartProps) {
  const { dateTime, day, clock } = useFormats();
  const [place, width] = useWidth();
  const [pointed, setPointed] = useState<Point>();
  const now = Date.now();
  const first = Math.min(points[0]?.at ?? now, now - dayMs);
  const x = (at: number) => left + ((at - first) / (now - first)) * (width - left - 8);
  const y = (value: number) => top + (1 - value / max) * (heightPx - top - bottom);
  const line = points.map(({ at, value }, n) => `${n === 0 ? 'M' : 'H'}${x(at).toFixed(1)}${n === 0 ? ',' : 'V'}${y(value).toFixed(1)}`);
  const newest = points.at(-1);
  const tick = now - first < 2 * dayMs ? clock : day;

  function point(clientX: number, picture: Element): void {
    const at = first + ((clientX - picture.getBoundingClientRect().left - left) / (width - left - 8)) * (now - first);
    const value = points.findLast((each) => each.at <= at)?.value;
    setPointed(value === undefined || at > now ? undefined : { at, value });
  }

  return (
    <div ref={place} class="chart">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={heightPx}
        onPointerMove={(event) => point(event.clientX, event.currentTarget)}
        onPointerLeave={() => setPointed(undefined)}
      >
        {[0, max / 2, max].map((value) => (
          <g key={value}>
            <path class="grid" d={`M${left},${y(value)}H${width - 8}`} />
            <text x={left - 10} y={y(value) + 4} text-anchor="end">
              {text(value)}
            </text>
          </g>
        ))}
        {ticksOf(first, now, Math.max(2, Math.floor((width - left) / 100))).map((at) => (
          <g key={at}>
            <path class="grid" d={`M${x(at)},${top}V${heightPx - bottom}`} />
            {/* There is no room beside the last label. */}
            <text x={x(at)} y={heightPx - 8} text-anchor={x(at) > width - left ? 'end' : 'middle'}>
              {tick(at)}
            </text>
          </g>
        ))}
        <path class="line" d={`${line.join('')}H${x(now).toFixed(1)}`} />
        {/* A dot at the present: a new lock has no line yet. */}
        {newest && <circle cx={x(now)} cy={y(newest.value)} r="4" />}
        {pointed && <circle cx={x(pointed.at)} cy={y(pointed.value)} r="5" />}
      </svg>
      <p class="pointed faint" aria-hidden="true">
        {pointed && `${dateTime(pointed.at)}: ${text(pointed.value)}`}
      </p>
    </div>
  );
}

/** The beginnings of days or hours in this device's time zone, at most `most` of them. */
function ticksOf(first: number, last: number, most: number): readonly number[] {
  const steps = [1, 3, 6, 12, 24, 48, 168, 336, 672, 1344, 2688].map((hours) => hours * hourMs);
  const step = steps.find((each) => (last - first) / each <= most) ?? (last - first) / most;
  const ticks: number[] = [];
  const next = new Date(first);
  next.setHours(0, 0, 0, 0);
  // Days are counted by the calendar: two days in a year are longer or shorter.
  while (next.getTime() <= last) {
    if (next.getTime() >= first) ticks.push(next.getTime());
    if (step < dayMs) next.setTime(next.getTime() + step);
    else next.setDate(next.getDate() + Math.round(step / dayMs));
  }
  return ticks;
}

/** The current width of an element. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (place.current) resized.observe(place.current);
    return () => resized.disconnect();
  }, []);
  return [place, width] as const;
}
