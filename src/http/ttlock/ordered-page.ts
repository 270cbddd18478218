// Lists of one lock in the order, and with the search, that TTLock's programs ask for.
import { type Page, type PageRequest, paginate } from '../../domain/page.ts';

interface Wanted {
  readonly page: PageRequest;
  /** 0: by name; 1: the newest first; 2: by name backwards; undefined: as they come. */
  readonly orderBy: number | undefined;
  /** In lower case; "": all. */
  readonly searched: string;
}

/** The whole of a list: no lock holds more than it has room for. */
const whole: PageRequest = { pageNo: 1, pageSize: Number.MAX_SAFE_INTEGER };

const orders: readonly ((one: Named, other: Named) => number)[] = [
  (one, other) => byName(one, other),
  (one, other) => other.createdAt - one.createdAt,
  (one, other) => byName(other, one),
];

interface Named {
  readonly name: string;
  readonly createdAt: number;
}

function byName(one: Named, other: Named): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

/** A page of what `list` gives, by name or time, and of those whose name or number has the text that is searched. */
export async function orderedPage<T extends Named>(
  { page, orderBy, searched }: Wanted,
  list: (page: PageRequest) => Promise<Page<T>>,
  numberOf: (item: T) => string,
): Promise<Page<T>> {
  const order = orderBy === undefined ? undefined : orders[orderBy];
  if (order === undefined && searched === '') return list(page);
  const all = (await list(whole)).list.filter((item) => item.name.toLowerCase().includes(searched) || numberOf(item).includes(searched));
  return paginate(order === undefined ? all : all.sort(order), page);
}
