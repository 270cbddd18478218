// The page envelope of every list (Specification 2.4 and 4.3).

/** Which page of a list: `pageNo` from 1, `pageSize` items each. */
export interface PageRequest {
  readonly pageNo: number;
  readonly pageSize: number;
}

/** One page of a list, with the exact totals of the whole list. */
export interface Page<T> {
  readonly list: readonly T[];
  readonly pageNo: number;
  readonly pageSize: number;
  /** ceil(total / pageSize); 0 when the list is empty. */
  readonly pages: number;
  readonly total: number;
}

/** The envelope around the items of one page, when the total is already known. */
export function pageOf<T>(list: readonly T[], total: number, request: PageRequest): Page<T> {
  const { pageNo, pageSize } = request;
  return { list, pageNo, pageSize, pages: Math.ceil(total / pageSize), total };
}

/** Cuts one page out of a whole list; a page past the end is empty, with the true totals. */
export function paginate<T>(all: readonly T[], request: PageRequest): Page<T> {
  const start = (request.pageNo - 1) * request.pageSize;
  return pageOf(all.slice(start, start + request.pageSize), all.length, request);
}

/** Cuts one page out of a whole list as `paginate` does, counted from its end: the last item is the first of page 1. */
export function paginateBackwards<T>(all: readonly T[], request: PageRequest): Page<T> {
  const end = Math.max(0, all.length - (request.pageNo - 1) * request.pageSize);
  const start = Math.max(0, end - request.pageSize);
  return pageOf(all.slice(start, end).reverse(), all.length, request);
}
