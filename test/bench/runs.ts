// Several runs of the bench, as one table: from the lowest to the highest median that any of them had. One ratio of one run says as much
// about the moment as about the program.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure, Unit } from './section.ts';
import { ratioText, shown } from './table.ts';

/** What a run leaves with `--json`. */
export interface BenchRun {
  readonly machine: Readonly<Record<string, unknown>>;
  readonly quick: boolean;
  readonly sections: readonly { readonly section: string; readonly figures: readonly Figure[] }[];
}

interface Table {
  readonly title: string;
  /** The figures, by their names, and what their rows are called. */
  readonly rows: readonly (readonly [label: string, figure: string])[];
}

const clients = ['1 client', '10 clients', '100 clients'] as const;
const clientFigures = (figure: string) =>
  [1, 10, 100].map((count, n) => [clients[n] ?? '', `100 locks, ${count} clients: ${figure}`] as const);
const loads = ['100 locks, singly', '1,000 locks, singly', '100 locks, batches of 100', '1,000 locks, batches of 100'];

const tables: readonly Table[] = [
  { title: 'unlocks a second', rows: clientFigures('unlocks a second') },
  { title: 'p50 of an unlock', rows: clientFigures('p50') },
  { title: 'CPU of one unlock', rows: clientFigures('CPU of one unlock') },
  { title: 'events a second', rows: loads.map((load) => [load, `events, ${load}: events a second`] as const) },
  { title: 'CPU of one event', rows: loads.map((load) => [load, `events, ${load}: CPU of one event`] as const) },
];

/** For the first page: the figure, and the one thing beside it that does the same without keeping anything. */
const summary: readonly (readonly [label: string, figure: string, beside: string])[] = [
  ...[1, 10, 100].map(
    (count) =>
      [
        `unlocks a second, ${count} ${count === 1 ? 'client' : 'clients'}`,
        `100 locks, ${count} clients: unlocks a second`,
        'bare Express + Aedes',
      ] as const,
  ),
  ['half of all unlocks are answered within, 1 client', '100 locks, 1 clients: p50', 'bare Express + Aedes'],
  ['events stored a second, 1,000 locks, singly', 'events, 1,000 locks, singly: events a second', 'bare Aedes'],
  ['events stored a second, 1,000 locks, batches of 100', 'events, 1,000 locks, batches of 100: events a second', 'bare Aedes'],
];

/** Every run that is kept in this folder, by the names of the files. */
export function keptRuns(folder: string): BenchRun[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as BenchRun);
}

/** The tables in Markdown, for the pages. */
export function tablesOf(runs: readonly BenchRun[]): string {
  return tables.map((table) => tableText(table, runs)).join('\n');
}

/** The few figures of the first page, in Markdown. */
export function summaryOf(runs: readonly BenchRun[]): string {
  const lines = summary.map(([label, name, other]) => {
    const figures = figuresNamed(runs, name);
    return [label, `**${valuesText(figures)}**`, `${other}: ${besideText(figures, other)}`];
  });
  return tableLines(['', 'latchd', 'beside it, and ours to theirs'], lines);
}

function tableText({ title, rows }: Table, runs: readonly BenchRun[]): string {
  const found = rows.map(([label, name]) => [label, figuresNamed(runs, name)] as const).filter(([, figures]) => figures.length > 0);
  const others = [...new Set(found.flatMap(([, figures]) => figures.flatMap(({ beside }) => beside.map(({ name }) => name))))];
  const lines = found.map(([label, figures]) => [
    label,
    `**${valuesText(figures)}**`,
    ...others.map((other) => besideText(figures, other)),
  ]);
  return tableLines([title, 'latchd', ...others], lines);
}

function tableLines(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function valuesText(figures: readonly Figure[]): string {
  return range(
    figures.map(({ value }) => value),
    (value) => shown(value, (figures[0] as Figure).unit),
  );
}

function figuresNamed(runs: readonly BenchRun[], name: string): Figure[] {
  return runs.flatMap(({ sections }) => sections.flatMap(({ figures }) => figures.filter((figure) => figure.name === name)));
}

/** Theirs, and ours to theirs; empty when it was not there to be measured. */
function besideText(figures: readonly Figure[], other: string): string {
  const found = figures.flatMap(({ beside, unit }) => beside.filter(({ name }) => name === other).map((one) => ({ ...one, unit })));
  const [first] = found;
  if (first === undefined) return '';
  const theirs = range(
    found.map(({ value }) => value),
    (value) => shown(value, first.unit as Unit),
  );
  const ratios = range(
    found.map(({ ratio }) => ratio),
    (ratio) => `${ratioText(ratio)} x`,
  );
  return `${theirs}: ${ratios}`;
}

function range(values: readonly number[], text: (value: number) => string): string {
  const lowest = text(Math.min(...values));
  const highest = text(Math.max(...values));
  return lowest === highest ? lowest : `${lowest.replace(/ ?(?:\/s|ms|µs|x)$/, '')} to ${highest}`;
}
