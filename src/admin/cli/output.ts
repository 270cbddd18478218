// The output of commands: results go to standard output, for programs; sentences go to standard error, for people.
import type { Option } from './command.ts';

export const jsonOption: Option = { flag: '--json', says: 'print JSON, for programs' };

/** Standard output. When the reader closes it (`| head`), the command ends without a failure; a full disk is a failure. */
export function output(): NodeJS.WritableStream {
  if (process.stdout.listenerCount('error') === 0) {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      say(`latchd: what was to be written could not be (${error.code ?? error.message}), and is not whole`);
      process.exit(1);
    });
  }
  return process.stdout;
}

/** Prints a line of the result. */
export function print(line: string): void {
  output().write(`${line}\n`);
}

/** Prints a sentence for the person at the terminal. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Prints rows in columns, with a header; `columns` has the title of each column and its value for a row. */
export function printTable<Row>(rows: readonly Row[], columns: Readonly<Record<string, (row: Row) => string | number>>): void {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => printable(String(cell(row)))))];
  const widths = Object.keys(columns).map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? '')].length)));
  for (const line of lines)
    print(
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    );
}

/** A number with its noun: `1 lock`, `2 locks`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** People choose names, and a terminal must not obey control characters in them. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}

/** A date of the API for people; `never` when there is none. */
export function dateText(at: number | null): string {
  return at === null ? 'never' : new Date(at).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z');
}
