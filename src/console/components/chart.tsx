// One value over time as a line of steps. Its library is loaded when the first chart is shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AlignedData, Options } from 'uplot';
import { useApp } from '../app.ts';
import { useFormats } from '../format.ts';

const heightPx = 220;
const dayMs = 86_400_000;

interface Point {
  /** Epoch ms; the value holds from then on. */
  readonly at: number;
  readonly value: number;
}

interface ChartProps {
  /** What a screen reader says instead of the picture. */
  readonly label: string;
  /** By time, at least one. */
  readonly points: readonly Point[];
  readonly min: number;
  readonly max: number;
  readonly text: (value: number) => string;
}

export function Chart({ label, points, min, max, text }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { theme, language } = useApp().preferences;
  const { dateTime, day, clock } = useFormats();
  const [pointed, setPointed] = useState('');

  useEffect(() => {
    const element = place.current;
    let left = false;
    let end: (() => void) | undefined;
    async function draw(into: HTMLElement): Promise<void> {
      const { default: UPlot } = await import('uplot');
      if (left) return;
      const now = Date.now();
      const first = Math.min(points[0]?.at ?? now, now - dayMs);
      const times = [...points.map(({ at }) => at / 1000), now / 1000];
      const values = [...points.map(({ value }) => value), points.at(-1)?.value ?? null];
      const data: AlignedData = [times, values];
      // The canvas knows no variables: what the theme gives is read from the element that it is drawn in.
      const { color, caretColor, borderTopColor, fontFamily } = getComputedStyle(into);
      const axis = { stroke: color, font: `13px ${fontFamily}`, grid: { stroke: borderTopColor, width: 1 }, ticks: { show: false } };
      const tick = now - first < 2 * dayMs ? clock : day;
      const options: Options = {
        width: into.clientWidth,
        height: heightPx,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        scales: { x: { range: [first / 1000, now / 1000] }, y: { range: [min, max] } },
        axes: [
          { ...axis, space: 90, values: (_, ticks) => ticks.map((seconds) => tick(seconds * 1000)) },
          { ...axis, space: 40, size: 56, values: (_, ticks) => ticks.map(text) },
        ],
        series: [
          {},
          {
            stroke: caretColor,
            width: 2,
            paths: UPlot.paths.stepped?.({ align: 1 }) ?? (() => null),
            points: { show: points.length < 40 },
          },
        ],
        hooks: {
          setCursor: [
            ({ cursor: { idx } }) => {
              const [at, value] = [times[idx ?? -1], values[idx ?? -1]];
              setPointed(at === undefined || value === null || value === undefined ? '' : `${dateTime(at * 1000)}: ${text(value)}`);
            },
          ],
        },
      };
      const chart = new UPlot(options, data, into);
      const resized = new ResizeObserver(() => chart.setSize({ width: into.clientWidth, height: heightPx }));
      resized.observe(into);
      end = () => {
        resized.disconnect();
        chart.destroy();
      };
    }
    // Without its library there is no picture; the table beside it says the same.
    if (element) draw(element).catch(() => undefined);
    return () => {
      left = true;
      end?.();
    };
  }, [points, theme.value, language.value]);

  return (
    <>
      <div ref={place} class="chart" role="img" aria-label={label} />
      <p class="pointed faint" aria-hidden="true">
        {pointed}
      </p>
    </>
  );
}
