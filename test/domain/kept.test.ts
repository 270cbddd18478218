// What is kept within a bound.
import { expect, test } from '@jest/globals';
import { createKept } from '../../src/domain/kept.ts';

test('what fits is kept; of what is asked for in turn and is more than fits, as much as fits is there each time', () => {
  const kept = createKept<number, string>(10, () => new Map());
  const found = () => Array.from({ length: 20 }, (_, n) => kept.get(n) ?? kept.keep(n, String(n), 1)).filter((made) => made !== undefined);
  expect(found()).toEqual([]);
  const ten = Array.from({ length: 10 }, (_, n) => String(n));
  expect([found(), found()]).toEqual([ten, ten]);
});

test('what is larger counts for more, and nothing makes it more than the bound', () => {
  const kept = createKept<string, string>(10, () => new Map());
  kept.keep('a', 'A', 6);
  kept.keep('b', 'B', 6);
  kept.keep('c', 'C', 4);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['A', undefined, 'C']);
});

test('when far more was turned away than is kept, what is asked for now takes its place', () => {
  const kept = createKept<number, string>(10, () => new Map());
  for (let n = 0; n < 10; n++) kept.keep(n, 'before', 1);
  for (let n = 100; n < 145; n++) kept.keep(n, 'now', 1);
  expect([kept.get(0), kept.get(144)]).toEqual([undefined, 'now']);
});
