// Pages whose text is kept for the same items.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockRecord } from '../../../src/domain/records/record.ts';
import { createPageText } from '../../../src/http/api/page-text.ts';
import { pageView, recordView, wholeRecordView } from '../../../src/http/api/views.ts';

interface Item {
  readonly name: string;
}

const item = (name: string): Item => ({ name });
const view = ({ name }: Item) => ({ called: name, length: name.length });
const pageOf = <T>(list: readonly T[]) => ({ list, pageNo: 2, pageSize: 20, pages: 4, total: 61 });

/** How often `view` was called for these lists, one after the other, by one function. */
function viewsMade(lists: readonly (readonly Item[])[]): readonly number[] {
  let made = 0;
  const textOf = createPageText((one: Item) => {
    made += 1;
    return view(one);
  });
  return lists.map((list) => {
    made = 0;
    expect(textOf(pageOf(list)).text).toBe(JSON.stringify(pageView(pageOf(list), view)));
    return made;
  });
}

describe('A page of items', () => {
  test('is to the letter what JSON.stringify makes of it, the first time and again', () => {
    const textOf = createPageText(view);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 60 }), (names) => {
        const page = pageOf(names.map(item));
        for (const { text, contentType } of [textOf(page), textOf(page), textOf(page), textOf(page)]) {
          expect(text).toBe(JSON.stringify(pageView(page, view)));
          expect(contentType).toBe('application/json; charset=utf-8');
        }
      }),
    );
  });

  test('is kept once the same items were asked for again, and made anew when one of them is another, is gone or has joined', () => {
    const [a, b, c] = [item('a'), item('b'), item('c')];
    const known = [a, b, c];
    expect(viewsMade([known, known, known, [...known], known])).toEqual([3, 3, 3, 0, 0]);
    expect(viewsMade([known, known, known, [a, item('b'), c], known])).toEqual([3, 3, 3, 3, 3]);
    expect(viewsMade([known, known, known, [a, b], [a, b], [a, b], [b, a]])).toEqual([3, 3, 3, 2, 2, 0, 2]);
    expect(viewsMade([[], []])).toEqual([0, 0]);
  });

  test('is not kept when it is long', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => item(`${n}`));
    const [some, more] = [names(50), names(51)];
    expect(viewsMade([some, some, some, some, more, more, more, more])).toEqual([50, 50, 50, 0, 51, 51, 51, 51]);
  });

  test('gives way to newer ones when there are many', () => {
    const lists = Array.from({ length: 2_000 }, (_, n) => [item(`${n}`)]);
    const [oldest = [], newer = []] = [lists[0], lists[900]];
    expect(viewsMade([...lists, ...lists, ...lists, oldest, newer]).slice(-2)).toEqual([1, 0]);
  });

  test('of records hides passcodes from those who may not know them, whoever has asked before', () => {
    const record: LockRecord = {
      ...{ recordId: 1, lockId: 7 as LockId, epoch: 'e', seq: 1, type: 'passcode-unlock', success: true, credential: '246813' },
      ...{ username: '', lockDate: 1, serverDate: 2 },
    };
    const [whole, masked] = [createPageText(wholeRecordView), createPageText(recordView)];
    const page = pageOf([record]);
    for (let n = 0; n < 4; n++) {
      expect(whole(page).text).toContain('"keyboardPwd":"246813"');
      expect(masked(page).text).toContain('"keyboardPwd":"****"');
    }
  });
});
