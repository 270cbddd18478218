// The figures as a table for a terminal: a line for each figure, and one for each floor beside it, ratios first.
import { type Figure, type Goal, reached, type Unit } from './section.ts';

export function tableOf(figures: readonly Figure[]): string {
  const lines = figures.flatMap(({ name, unit, value, rounds, goal, beside }) => [
    `\n${name}`,
    line('', goal, reached(value, goal), `${shown(value, unit)}${spread(rounds, unit)}`),
    ...beside.map((other) =>
      line(
        `${ratioText(other.ratio)} x`,
        other.goal,
        reached(other.ratio, other.goal),
        `${shown(other.value, other.unit ?? unit)}  ${other.name}${ratioSpread(other.ratios)}`,
      ),
    ),
  ]);
  return `${lines.join('\n').trimStart()}\n`;
}

function line(ratio: string, goal: Goal | undefined, well: boolean | undefined, rest: string): string {
  const verdict = well === undefined ? '' : `${well ? 'yes' : 'NO'} (${goalText(goal)})`;
  return `  ${ratio.padStart(9)}  ${verdict.padEnd(18)} ${rest}`;
}

export function goalText(goal: Goal | undefined): string {
  const bounds = [];
  if (goal?.atLeast !== undefined) bounds.push(`at least ${plain(goal.atLeast)}`);
  if (goal?.atMost !== undefined) bounds.push(`at most ${plain(goal.atMost)}`);
  return bounds.join(', ');
}

export function ratioText(ratio: number): string {
  return ratio.toPrecision(ratio < 1 ? 2 : 3).replace(/\.0+$/, '');
}

export function shown(value: number, unit: Unit): string {
  return `${plain(value)}${unit === '/s' ? '/s' : unit === '' ? '' : ` ${unit}`}`;
}

function spread(rounds: readonly number[], unit: Unit): string {
  if (rounds.length < 2) return '';
  return `  (${plain(Math.min(...rounds))} to ${shown(Math.max(...rounds), unit)} in ${rounds.length} rounds)`;
}

function ratioSpread(ratios: readonly number[]): string {
  return ratios.length < 2 ? '' : `  (${ratioText(Math.min(...ratios))} to ${ratioText(Math.max(...ratios))} x)`;
}

/** Three digits that count; whole numbers from 100 on. */
function plain(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();
}
