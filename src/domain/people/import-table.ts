// Reads a table of people and doors as text: comma, semicolon or tab between the cells, RFC 4180 quotes (Decision 46).

/** What is wrong at a place of a file. */
export interface TableProblem {
  /** From 1; the header is line 1, and a line within quotes counts. */
  readonly line: number;
  /** Its header; null: the line as a whole. */
  readonly column: string | null;
  readonly message: string;
}

/** Collects problems: the first ones in full, all by their number. */
export interface TableProblems {
  add(line: number, column: string | null, message: string): void;
  /** The first ones, in the order in which they were found. */
  readonly list: readonly TableProblem[];
  count(): number;
}

export interface TableLine {
  readonly line: number;
  /** As many as the header has. */
  readonly cells: readonly string[];
}

/** A table that is read line by line: none is kept, however many there are. */
export interface Table {
  readonly header: readonly string[];
  /** Calls back with each line. It yields now and then, and returns how many lines there were. Call it once. */
  readLines(onLine: (line: TableLine) => void): Generator<undefined, number>;
}

const problemsAtMost = 1_000;
const columnsAtMost = 20_000;
/** Enough for the header, to see what its separator is. */
const bytesLookedAt = 65_536;
const linesAtMost = 40_000;
const lengthAtMost = 4_096;
/** Cells between two places where the work may be interrupted. */
const cellsAtOnce = 500;

export function createTableProblems(): TableProblems {
  const list: TableProblem[] = [];
  let found = 0;
  return {
    add(line, column, message) {
      found += 1;
      if (list.length < problemsAtMost) list.push({ line, column, message });
    },
    list,
    count: () => found,
  };
}

/** What a spreadsheet would take for a formula, behind any quotes that guard such text already. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** The text of a cell as a file has it: guarded when a spreadsheet would take it for a formula, quoted where necessary. */
export function cellText(text: string, separator: string): string {
  const plain = formula.test(text) ? `'${text}` : text;
  const needsQuotes = plain.includes(separator) || /["\r\n]|^\s|\s$/.test(plain);
  return needsQuotes ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Reads the header of a table. A line that cannot be read adds to `problems`; when the rest cannot be read either, the table ends there. */
export function* readTable(text: string, problems: TableProblems): Generator<undefined, Table> {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const records = readRecords(source, separatorOf(source), problems);
  let first = records.next();
  for (; first.done !== true && first.value === undefined; first = records.next()) yield;
  const header = first.value?.cells ?? [];
  return {
    header,
    *readLines(onLine) {
      let lines = 0;
      for (const record of records) {
        if (record === undefined) yield;
        else if (lines === linesAtMost) {
          problems.add(record.line, null, `is behind line ${linesAtMost}: a file has at most so many`);
          break;
        } else {
          const cells = fitted(record.cells, header.length);
          if (cells === undefined) problems.add(record.line, null, `has ${record.cells.length} cells, the header has ${header.length}`);
          else {
            lines += 1;
            onLine({ line: record.line, cells });
          }
        }
      }
      return lines;
    },
  };
}

/** Spreadsheets write empty cells behind a line; a line that is too short may have lost its end. */
function fitted(cells: readonly string[], count: number): readonly string[] | undefined {
  if (cells.length === count) return cells;
  return cells.length > count && cells.slice(count).every((cell) => cell === '') ? cells.slice(0, count) : undefined;
}

/** The separator that the first line has most of, outside of quotes. */
function separatorOf(source: string): string {
  const first = /^(?:"[^"]*"|[^"\r\n])*/.exec(source.slice(0, bytesLookedAt))?.[0].replaceAll(/"[^"]*"/g, '') ?? '';
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).separator;
}

/** Yields each record that is not blank, and undefined where the work may be interrupted. */
function* readRecords(source: string, separator: string, problems: TableProblems): Generator<TableLine | undefined, undefined> {
  const plainEnd = separator === '\t' ? /[\t\r\n]/g : new RegExp(`[${separator}\\r\\n]`, 'g');
  let place = 0;
  let line = 1;
  let cells: string[] = [];
  let startLine = 1;
  let count = 0;
  while (place < source.length || cells.length > 0) {
    if (++count % cellsAtOnce === 0) yield undefined;
    const cell = source[place] === '"' ? quotedCell(source, place) : plainCell(source, place, plainEnd);
    const wrong = typeof cell === 'string' ? cell : cells.length >= columnsAtMost ? `has more than ${columnsAtMost} cells` : undefined;
    if (typeof cell === 'string' || wrong !== undefined) {
      problems.add(line, null, `${wrong}; the rest of the file was not read`);
      return;
    }
    cells.push(cell.text);
    line += cell.breaks;
    place = cell.end;
    if (source[place] === separator) {
      place += 1;
      continue;
    }
    if (place < source.length && source[place] !== '\r' && source[place] !== '\n') {
      problems.add(line, null, 'has text behind a closing quote; the rest of the file was not read');
      return;
    }
    if (cells.length > 1 || cells[0] !== '') yield { line: startLine, cells };
    place += source.startsWith('\r\n', place) ? 2 : 1;
    line += 1;
    startLine = line;
    cells = [];
  }
}

interface ReadCell {
  readonly text: string;
  /** The place behind it. */
  readonly end: number;
  /** Line breaks within it. */
  readonly breaks: number;
}

function plainCell(source: string, start: number, plainEnd: RegExp): ReadCell | string {
  plainEnd.lastIndex = start;
  const end = plainEnd.exec(source)?.index ?? source.length;
  if (end - start > lengthAtMost) return `has a cell of more than ${lengthAtMost} characters`;
  return { text: unguarded(source.slice(start, end).trim()), end, breaks: 0 };
}

function quotedCell(source: string, start: number): ReadCell | string {
  let end = source.indexOf('"', start + 1);
  while (end !== -1 && source[end + 1] === '"' && end - start <= lengthAtMost) end = source.indexOf('"', end + 2);
  if (end === -1) return 'has a quote that is never closed';
  if (end - start > lengthAtMost) return `has a cell of more than ${lengthAtMost} characters`;
  const text = source.slice(start + 1, end).replaceAll('""', '"');
  return { text: unguarded(text), end: end + 1, breaks: text.match(/\r\n|\r|\n/g)?.length ?? 0 };
}

function unguarded(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
