import { describe, expect, test } from '@jest/globals';
import { clockAhead, demandedStandbys } from '../../../src/stores/postgres/server-facts.ts';

describe('how many standbys a commit waits for', () => {
  test.each([
    ['', 0],
    ['  ', 0],
    ['*', 1],
    ['box_2', 1],
    ['box_1, box_2', 1],
    ['2 (a, b, c)', 2],
    ['FIRST 1 (a, b)', 1],
    ['any 3 (*)', 3],
    ['"3 (odd name)"', 1],
  ])('%j: %i', (names, count) => {
    expect(demandedStandbys(names)).toBe(count);
  });
});

describe('how far the clock of a server is ahead', () => {
  test.each([
    ['it may be the same while its time lies between question and answer', 1_500, 0],
    ['ahead, from the answer on', 2_250, 250],
    ['behind, from the question on', 900, -100],
  ])('%s', (_title, serverNow, ms) => {
    expect(clockAhead(serverNow, 1_000, 2_000)).toBe(ms);
  });
});
