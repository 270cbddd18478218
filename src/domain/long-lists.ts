// Long lists that people search and order, a page at a time. Each row is looked at, in short steps, and no more rows are put in order than
// the page needs.
import type { Caller } from './accounts/account.ts';
import type { CancelSignal } from './cancel-signal.ts';
import type { Clock } from './clock.ts';
import { type Page, type PageRequest, pageOf, paginate } from './page.ts';
import { createSlices, type NextTurn } from './people/in-slices.ts';
import { createQuestionTurns } from './question-turns.ts';

/** What people ask of a long list (HTTP API 1.3). */
export interface ListAsked<Column extends string> extends PageRequest {
  /** A text in any part of a row, in upper or lower case. */
  readonly search?: string | undefined;
  readonly sort?: { readonly by: Column; readonly isDescending: boolean } | undefined;
}

/** How a list is looked through. */
interface Look<Row, Column extends string> {
  readonly asked: ListAsked<Column>;
  /** The texts of a row in which a search looks. */
  readonly textsOf: (row: Row) => readonly string[];
  /** What rows are ordered by, of each column a text or a number. Rows with the same value stay in their order. */
  readonly columns: Readonly<Record<Column, (row: Row) => string | number>>;
  /** What else is asked; absent: nothing. */
  readonly isWanted?: ((row: Row) => boolean) | undefined;
}

export interface LongLists {
  /**
   * A page of the rows that are asked for. Rejects with `rate-limited` when too many such questions of the account wait. `pageOf` gives any
   * page of the whole list: where nothing is asked, that is all that is done.
   */
  page<Row, Column extends string>(
    caller: Caller,
    pageOf: (request: PageRequest) => Page<Row>,
    look: Look<Row, Column>,
    gone?: CancelSignal,
  ): Promise<Page<Row>>;
}

interface Ordered<Row> {
  readonly row: Row;
  readonly value: string | number;
}

/** Rows that are looked at, or put in order, in one step. */
const atOnce = 64;

export function createLongLists({ clock, nextTurn }: { readonly clock: Clock; readonly nextTurn: NextTurn }): LongLists {
  const slices = createSlices(clock, nextTurn);
  const turns = createQuestionTurns({ clock });
  return {
    async page(caller, pageOf, look, gone) {
      const { asked, isWanted } = look;
      if (!asked.search && asked.sort === undefined && isWanted === undefined) return pageOf(asked);
      // The list may change between two steps: what is looked at is as it was at the first one.
      const rows = () => pageOf({ pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER }).list;
      return turns.run(caller, gone, () => slices.run(pageAsked(rows(), look)));
    },
  };
}

function* pageAsked<Row, Column extends string>(
  rows: readonly Row[],
  { asked: { search = '', sort, ...request }, textsOf, columns, isWanted = () => true }: Look<Row, Column>,
): Generator<undefined, Page<Row>> {
  const text = search.toLowerCase();
  const matches = (row: Row): boolean => isWanted(row) && (text === '' || textsOf(row).some((one) => one.toLowerCase().includes(text)));
  const found: Row[] = [];
  for (let from = 0; from < rows.length; from += atOnce) {
    for (const row of rows.slice(from, from + atOnce)) if (matches(row)) found.push(row);
    yield;
  }
  if (sort === undefined) return paginate(found, request);
  const needed = request.pageNo * request.pageSize;
  const first = yield* firstInOrder(found, columns[sort.by], sort.isDescending ? -1 : 1, needed);
  const shown = paginate(first, request).list.map(({ row }) => row);
  return pageOf(shown, found.length, request);
}

/** The first `needed` rows by their values: short runs are put in order, and two of them merged into one until there is one left. */
function* firstInOrder<Row>(
  rows: readonly Row[],
  value: (row: Row) => string | number,
  direction: 1 | -1,
  needed: number,
): Generator<undefined, readonly Ordered<Row>[]> {
  const compare = (one: Ordered<Row>, other: Ordered<Row>): number =>
    one.value === other.value ? 0 : one.value < other.value ? -direction : direction;
  let runs: Ordered<Row>[][] = [];
  for (let from = 0; from < rows.length; from += atOnce) {
    const run = rows.slice(from, from + atOnce).map((row) => ({ row, value: orderValue(value(row)) }));
    runs.push(run.sort(compare).slice(0, needed));
    yield;
  }
  while (runs.length > 1) {
    const merged: Ordered<Row>[][] = [];
    for (let n = 0; n < runs.length; n += 2) {
      merged.push(yield* merge(runs[n] as Ordered<Row>[], runs[n + 1] ?? [], compare, needed));
      yield;
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Row>(
  one: readonly Ordered<Row>[],
  other: readonly Ordered<Row>[],
  compare: (one: Ordered<Row>, other: Ordered<Row>) => number,
  needed: number,
): Generator<undefined, Ordered<Row>[]> {
  const both: Ordered<Row>[] = [];
  const length = Math.min(needed, one.length + other.length);
  for (let [n, m] = [0, 0]; both.length < length; ) {
    const [left, right] = [one[n], other[m]];
    const isLeft = right === undefined || (left !== undefined && compare(left, right) <= 0);
    both.push((isLeft ? left : right) as Ordered<Row>);
    if (isLeft) n += 1;
    else m += 1;
    if (both.length % (4 * atOnce) === 0) yield;
  }
  return both;
}

/** Texts as people look them up: without regard to case and accents, and by the numbers in them. */
function orderValue(value: string | number): string | number {
  if (typeof value === 'number') return value;
  const plain = value.normalize('NFKD').replace(/\p{Mn}/gu, '');
  return plain
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/\d+/g, (digits) => digits.padStart(20, '0'));
}
