// Many rows, some at a time: all of a large building in one answer would be in memory twice, and take longer than a statement may.
import type { Query } from './database.ts';

/**
 * The rows that `sql` gives in the order of their keys, to the end. Its first values are the key after which it begins, `first` at first; those
 * after them are `others`. The last slice is empty.
 */
export async function* slicesOf<Row>(
  query: Query,
  sql: string,
  { first, keyOf, others = [] }: { readonly first: Key; readonly keyOf: (row: Row) => Key; readonly others?: readonly unknown[] },
): AsyncGenerator<readonly Row[]> {
  for (let after: Key | undefined = first; after !== undefined; ) {
    const some: readonly Row[] = await query<Row>(sql, [...after, ...others]);
    yield some;
    const last = some.at(-1);
    after = last && keyOf(last);
  }
}

type Key = readonly (string | number)[];
