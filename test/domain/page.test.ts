import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PageRequest, pageOf, paginate, paginateBackwards } from '../../src/domain/page.ts';

describe('paginate', () => {
  it('cuts a list into pages that together are the list, with exact totals on each (Specification 2.4 and 4.3)', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 60 }), (total, pageSize) => {
        const all = Array.from({ length: total }, (_, n) => n);
        const { pages } = paginate(all, { pageNo: 1, pageSize });
        expect(pages).toBe(Math.ceil(total / pageSize));
        const seen = Array.from({ length: pages }, (_, n) => paginate(all, { pageNo: n + 1, pageSize }));
        expect(seen.flatMap((page) => page.list)).toEqual(all);
        for (const [n, page] of seen.entries()) {
          expect(page).toMatchObject({ pageNo: n + 1, pageSize, pages, total });
          expect(page.list.length).toBe(n + 1 < pages ? pageSize : total - pageSize * (pages - 1));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has no pages at all when the list is empty (HTTP API 1.3)', () => {
    expect(paginate([], { pageNo: 1, pageSize: 10 })).toEqual({ list: [], pageNo: 1, pageSize: 10, pages: 0, total: 0 });
  });

  it.each([4, 1_000_000, Number.MAX_SAFE_INTEGER])(
    'gives an empty list with the true totals on page %d, past the end (HTTP API 1.3)',
    (pageNo) => {
      expect(paginate([1, 2, 3], { pageNo, pageSize: 1_000 })).toEqual({ list: [], pageNo, pageSize: 1_000, pages: 1, total: 3 });
    },
  );

  it('puts nothing but the five members into the envelope, whatever else the request holds (Specification 2.4)', () => {
    const request = { pageNo: 1, pageSize: 10, lockId: 7 } satisfies PageRequest & { lockId: number };
    expect(Object.keys(pageOf([], 0, request)).sort()).toEqual(['list', 'pageNo', 'pageSize', 'pages', 'total']);
  });
});

describe('paginateBackwards', () => {
  it('gives the pages of the list from its end on, past its beginning too', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 12 }), (total, pageSize, pageNo) => {
        const all = Array.from({ length: total }, (_, n) => n);
        expect(paginateBackwards(all, { pageNo, pageSize })).toEqual(paginate(all.toReversed(), { pageNo, pageSize }));
      }),
    );
  });

  it('looks at no more of the list than it gives', () => {
    const looked: string[] = [];
    const all = new Proxy([1, 2, 3, 4, 5, 6, 7, 8, 9], {
      get(list, name) {
        if (/^\d+$/.test(String(name))) looked.push(String(name));
        return Reflect.get(list, name);
      },
    });
    expect(paginateBackwards(all, { pageNo: 2, pageSize: 2 }).list).toEqual([7, 6]);
    expect(looked).toEqual(['5', '6']);
  });
});
