// The JSON of pages that programs ask for again and again, such as the newest records of each lock. Making it is a quarter of the work for a
// page, so it is kept for those who ask for the same items.
import { createBoundedCache } from '../../domain/bounded-cache.ts';
import type { Page } from '../../domain/page.ts';
import type { TextAnswer } from '../pipeline/route.ts';
import { json } from '../pipeline/sender.ts';

/** One page of each of 1,000 locks. */
const listsAtMost = 1_000;
/** Who asks for more at once reads everything, and does not ask again. */
const itemsAtMost = 50;

/**
 * Makes answers with the envelope of a page (Specification 2.4). An item never changes, and shows nothing but what `view` makes of it: what
 * has changed is another object, so no text is out of date.
 */
export function createPageText<T extends object>(view: (item: T) => object): (page: Page<T>) => TextAnswer {
  /** First items that were shown before: what is read anew for each page, and gone afterwards, gets no further than this. */
  const seen = new WeakSet<T>();
  /** By the first item; without a text until somebody asks for the same items again. */
  const lists = createBoundedCache<T, { readonly list: readonly T[]; text?: string }>(listsAtMost);

  function textOf(list: readonly T[]): string {
    const [first] = list;
    if (first === undefined || list.length > itemsAtMost) return JSON.stringify(list.map(view));
    const before = lists.get(first);
    if (before === undefined || !isSame(before.list, list)) {
      if (seen.has(first)) lists.add(first, { list });
      else seen.add(first);
      return JSON.stringify(list.map(view));
    }
    before.text ??= JSON.stringify(list.map(view));
    return before.text;
  }

  return ({ list, pageNo, pageSize, pages, total }) => ({
    contentType: json,
    text: `{"list":${textOf(list)},"pageNo":${pageNo},"pageSize":${pageSize},"pages":${pages},"total":${total}}`,
  });
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, n) => item === other[n]);
}
