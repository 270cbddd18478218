import { expect, test } from '@jest/globals';
import { hoursOf, hoursText, linesIn, unionOfHours } from '../../../src/domain/people/hours.ts';

const line = (days: readonly number[], from: number, to: number) => ({ days, from, to });

test('hours have one text, whatever the order of lines and days, and overlapping or touching lines of a day are one', () => {
  expect(hoursText([line([6, 7], 540, 720), line([1, 2, 3, 4, 5], 480, 1_080)])).toBe('12345:480-1080;67:540-720');
  expect(hoursText([line([1, 2], 480, 600), line([2, 1], 600, 720), line([1], 700, 800)])).toBe('1:480-800;2:480-720');
  expect(hoursText([line([1], 60, 120), line([1], 0, 30)])).toBe('1:0-30;1:60-120');
  expect(hoursText([])).toBe('never');
});

test('the whole of every day, holidays included, is always, and without the holidays it is not', () => {
  expect(hoursText([line([1, 2, 3, 4, 5, 6, 7], 0, 1_440), line([8], 0, 720), line([8], 720, 1_440)])).toBe('');
  expect(hoursText([line([1, 2, 3, 4, 5, 6, 7], 0, 1_440)])).toBe('1234567:0-1440');
  expect(hoursOf('').flatMap(({ days }) => days)).toHaveLength(8);
});

test('a lock that takes fewer lines gets those with the most minutes of a week', () => {
  const lines = [line([1, 2, 3, 4, 5], 480, 1_080), line([6], 480, 600), line([7], 480, 540)];
  expect(hoursText(lines, 2)).toBe('12345:480-1080;6:480-600');
  expect(unionOfHours([hoursText(lines)], 1)).toBe('12345:480-1080');
  expect([linesIn(''), linesIn(hoursText(lines))]).toEqual([0, 3]);
});

test('a union is open when one of them is', () => {
  const [office, evening] = ['12345:480-1080', '5:1000-1300;8:0-60'];
  expect(unionOfHours([office, evening])).toBe('1234:480-1080;5:480-1300;8:0-60');
  expect(unionOfHours([office, ''])).toBe('');
  expect(unionOfHours([office, 'never'])).toBe(office);
});
