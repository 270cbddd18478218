// The ratios that have a goal, as a picture: one bar each, with a mark where the goal is. Made by hand, in colours that do
// on light and on dark paper.
import { type Beside, type Figure, reached } from './section.ts';
import { goalText, ratioText, shown } from './table.ts';

const width = 860;
const rowHeight = 26;
const barFrom = 470;
const barTo = 760;

export function pictureOf(figures: readonly Figure[]): string {
  const rows = figures.flatMap((figure) => figure.beside.filter(({ goal }) => goal !== undefined).map((beside) => ({ figure, beside })));
  const height = rowHeight * rows.length + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>latchd beside its floors and peers</title>`,
    ...rows.map(({ figure, beside }, n) => row(figure, beside, 10 + n * rowHeight)),
    '</svg>\n',
  ].join('\n');
}

/** The bar's length is the ratio; its scale ends at twice the goal, or at the ratio when that is more. */
function row({ name, unit, value }: Figure, { name: other, value: theirs, ratio, goal }: Beside, y: number): string {
  const mark = goal?.atLeast ?? goal?.atMost ?? 1;
  const scale = (barTo - barFrom) / Math.max(2 * mark, ratio);
  const x = (at: number) => Math.round(barFrom + at * scale);
  const colour = reached(ratio, goal) ? '#2f9e64' : '#d9822b';
  const hint = `${shown(value, unit)} beside ${shown(theirs, unit)} (goal: ${goalText(goal)})`;
  return [
    `<g><title>${escaped(hint)}</title>`,
    `<text x="8" y="${y + 11}" fill="#7f8a99">${escaped(name)}</text>`,
    `<text x="8" y="${y + 22}" fill="#7f8a99" font-size="9">beside ${escaped(other)}</text>`,
    `<rect x="${barFrom}" y="${y + 3}" width="${Math.max(1, x(ratio) - barFrom)}" height="14" rx="2" fill="${colour}"/>`,
    `<line x1="${x(mark)}" x2="${x(mark)}" y1="${y}" y2="${y + 20}" stroke="#7f8a99" stroke-width="1.5"/>`,
    `<text x="${barTo + 10}" y="${y + 14}" fill="${colour}" font-weight="600">${ratioText(ratio)} x</text>`,
    '</g>',
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
