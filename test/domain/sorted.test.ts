import { describe, expect, test } from '@jest/globals';
import { createSortedItems, insertSorted, placeInSorted, removeSorted } from '../../src/domain/sorted.ts';
import { createRandom } from '../support/seeded-random.ts';

interface Item {
  readonly key: number;
  readonly nth: number;
}
const keyOf = ({ key }: Item): number => key;

describe('a sorted array', () => {
  test('is what sorting would make of it, whatever is put in and taken out', () => {
    const random = createRandom(7);
    const sorted: Item[] = [];
    let expected: Item[] = [];
    for (let nth = 0; nth < 500; nth++) {
      const item = { key: random.below(50), nth };
      insertSorted(sorted, item, keyOf);
      expected = [...expected, item].sort((a, b) => a.key - b.key || a.nth - b.nth);
      expect(sorted).toEqual(expected);
      if (random.chance(0.6)) continue;
      const gone = random.pick(expected);
      removeSorted(sorted, gone, keyOf);
      expected = expected.filter((one) => one !== gone);
      expect(sorted).toEqual(expected);
    }
  });

  test('finds the first item that is not below a key, and leaves what it does not hold alone', () => {
    const sorted = [1, 3, 3, 5].map((key, nth) => ({ key, nth }));
    expect([0, 1, 2, 3, 4, 5, 6].map((key) => placeInSorted(sorted, key, keyOf))).toEqual([0, 0, 1, 1, 3, 3, 4]);
    removeSorted(sorted, { key: 3, nth: 1 }, keyOf);
    expect(sorted).toHaveLength(4);
  });
});

describe('sorted items', () => {
  test('are by their keys, one for each, and whoever was given them keeps them as they were', () => {
    const items = createSortedItems<Item>(keyOf);
    for (const key of [5, 1, 3]) items.put({ key, nth: 0 });
    const given = items.all();
    expect(items.all()).toBe(given);
    items.put({ key: 3, nth: 1 });
    items.remove(1);
    items.remove(4);
    expect(given).toEqual([1, 3, 5].map((key) => ({ key, nth: 0 })));
    expect(items.all()).toEqual([
      { key: 3, nth: 1 },
      { key: 5, nth: 0 },
    ]);
  });

  test('say which item was replaced or removed, and copy what was given when an item comes last', () => {
    const items = createSortedItems<Item>(keyOf);
    expect([items.put({ key: 3, nth: 0 }), items.put({ key: 3, nth: 1 }), items.remove(4)]).toEqual([
      undefined,
      { key: 3, nth: 0 },
      undefined,
    ]);
    const given = items.all();
    expect(items.put({ key: 7, nth: 0 })).toBeUndefined();
    expect([given.length, items.all().length]).toEqual([1, 2]);
    expect([items.remove(3), items.get(3)]).toEqual([{ key: 3, nth: 1 }, undefined]);
  });
});
