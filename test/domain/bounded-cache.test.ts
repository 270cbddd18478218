import { expect, test } from '@jest/globals';
import { createBoundedCache } from '../../src/domain/bounded-cache.ts';

/** Asks for each in turn, adds what is not there, and gives how many were. */
function asked(cache: ReturnType<typeof numbers>, first: number, last: number): number {
  let found = 0;
  for (let n = first; n <= last; n++) {
    if (cache.get(n) === undefined) cache.add(n, String(n));
    else found += 1;
  }
  return found;
}

function numbers(atMost: number) {
  return createBoundedCache<number, string>(atMost);
}

test('values that fit are cached; of more values than fit, requested in a cycle, many are cached each time', () => {
  const cache = numbers(100);
  expect([asked(cache, 1, 100), asked(cache, 1, 100)]).toEqual([0, 100]);
  expect(Array.from({ length: 10 }, () => asked(cache, 1, 200)).every((found) => found >= 50)).toBe(true);
});

test('a value that is requested again and again is soon cached, whatever was cached before', () => {
  const cache = numbers(100);
  asked(cache, 1, 100_000);
  for (let n = 0; n < 40; n++) asked(cache, 200_001, 200_020);
  expect(asked(cache, 200_001, 200_020)).toBe(20);
});

test('a value that is added again replaces the earlier one, and counts once', () => {
  const cache = numbers(2);
  cache.add(1, 'one');
  cache.add(1, 'ONE');
  cache.add(2, 'two');
  expect([cache.get(1), cache.get(2)]).toEqual(['ONE', 'two']);
  cache.add(3, 'three');
  expect([cache.get(1), cache.get(2), cache.get(3)]).toEqual([undefined, 'two', 'three']);
});
