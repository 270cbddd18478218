// What is kept within a bound.
import { expect, test } from '@jest/globals';
import { createKept } from '../../src/domain/bounded-cache.ts';

/** Asks for each in turn, keeps what is not there, and gives how many were. */
function asked(kept: ReturnType<typeof numbers>, first: number, last: number): number {
  let found = 0;
  for (let n = first; n <= last; n++) {
    if (kept.get(n) === undefined) kept.keep(n, String(n));
    else found += 1;
  }
  return found;
}

function numbers(atMost: number) {
  return createKept<number, string>(atMost, () => 1);
}

test('what fits is kept; of what is asked for in turn and is more than fits, much is there each time', () => {
  const kept = numbers(100);
  expect([asked(kept, 1, 100), asked(kept, 1, 100)]).toEqual([0, 100]);
  expect(Array.from({ length: 10 }, () => asked(kept, 1, 200)).every((found) => found >= 50)).toBe(true);
});

test('what is asked for again and again is soon there, whatever was kept before', () => {
  const kept = numbers(100);
  asked(kept, 1, 100_000);
  for (let n = 0; n < 40; n++) asked(kept, 200_001, 200_020);
  expect(asked(kept, 200_001, 200_020)).toBe(20);
});

test('what is larger counts for more, and what is kept anew counts once; nothing makes it more than the bound', () => {
  const kept = createKept<string, string>(10, (made) => made.length);
  const keep = (key: string, made: string) => Array.from({ length: 4 }, () => kept.keep(key, made));
  keep('a', 'aaaaaa');
  keep('a', 'AAAAAA');
  keep('b', 'bbbb');
  expect([kept.get('a'), kept.get('b')]).toEqual(['AAAAAA', 'bbbb']);
  keep('c', 'c');
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 'bbbb', 'c']);
  keep('d', 'd'.repeat(11));
  keep('e', 'e');
  expect([kept.get('b'), kept.get('c'), kept.get('d'), kept.get('e')]).toEqual([undefined, undefined, undefined, 'e']);
});
