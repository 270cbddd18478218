// Warnings that somebody outside can provoke do not fill the disk (Fault T12).
import { expect, test } from '@jest/globals';
import { createRateLimitedLog } from '../../src/domain/rate-limited-log.ts';
import { createManualClock } from '../support/mqtt-clock.ts';
import { createFakeLog } from '../support/mqtt-fakes.ts';

test('a warning that comes all the time is one line a minute, which says how many were not written', () => {
  const clock = createManualClock();
  const log = createFakeLog();
  const limited = createRateLimitedLog({ clock, log });
  for (let index = 0; index < 100; index++) limited.warn('a', { a: 1 }, 'again');
  limited.warn('b', {}, 'another');
  clock.advance(60_000);
  limited.warn('a', { a: 1 }, 'again');
  expect(log.lines.map((line) => line.fields)).toEqual([{ a: 1 }, {}, { a: 1, unwritten: 99 }]);
});

test('however many kinds of warnings come, there are 300 lines a minute and one that says how many are missing', () => {
  const clock = createManualClock();
  const log = createFakeLog();
  const limited = createRateLimitedLog({ clock, log });
  for (let index = 0; index < 10_000; index++) limited.warn(`from ${index}`, { index }, 'a stranger');
  expect(log.lines.length).toBe(300);
  clock.advance(60_000);
  limited.warn('from 1', { index: 1 }, 'a stranger');
  expect(log.lines.slice(300).map(({ fields }) => fields)).toEqual([{ code: 'warnings-left-out', unwritten: 9_700 }, { index: 1 }]);
});
