// What the log said to be wrong within the last day.
import { expect, test } from '@jest/globals';
import { createRecentWarnings } from '../../src/domain/recent-warnings.ts';

function createWorld() {
  const clock = { at: 1_000, now: () => clock.at };
  const written: unknown[] = [];
  const write = (level: string) => (fields: object, message: string) => void written.push([level, fields, message]);
  const recent = createRecentWarnings(clock);
  const log = recent.noted({
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  });
  return { clock, written, log, list: recent.list };
}

test('every line is written as it is, and what is worse than info is kept, the latest first', () => {
  const { log, written, list } = createWorld();
  log.debug({ code: 'a' }, 'nothing');
  log.info({ code: 'b' }, 'nothing');
  log.warn({ code: 'c', lockId: 7, reason: 'because' }, 'it is so');
  log.error({ code: 'd', err: new Error('no disk'), empty: '', parts: ['x'] }, 'it failed');
  log.fatal({}, 'the end');
  expect(written).toHaveLength(5);
  expect(list().map(({ level, code, message, detail }) => [level, code, message, detail])).toEqual([
    ['fatal', '', 'the end', ''],
    ['error', 'd', 'it failed', 'no disk'],
    ['warn', 'c', 'it is so', 'lockId 7, reason because'],
  ]);
});

test('a date is written as a date, and no other number is', () => {
  const { log, list } = createWorld();
  log.warn({ code: 'c', since: 1_763_715_600_000, validAt: 0, bytes: 1_763_715_600_000, brokenAt: 1e300 }, 'it is so');
  expect(list().map(({ lockId, detail }) => [lockId, detail])).toEqual([
    [null, 'since 2025-11-21T09:00:00.000Z, validAt 1970-01-01T00:00:00.000Z, bytes 1763715600000, brokenAt 1e+300'],
  ]);
});

test('lines of one code about one lock are one warning with their count', () => {
  const { clock, log, list } = createWorld();
  log.warn({ code: 'c', lockId: 7 }, 'first');
  log.warn({ code: 'c', lockId: 8 }, 'other lock');
  clock.at = 2_000;
  log.warn({ code: 'c', lockId: 7, reason: 'new' }, 'again');
  expect(list()).toEqual([
    { level: 'warn', code: 'c', message: 'again', lockId: 7, detail: 'lockId 7, reason new', firstAt: 1_000, lastAt: 2_000, count: 2 },
    { level: 'warn', code: 'c', message: 'other lock', lockId: 8, detail: 'lockId 8', firstAt: 1_000, lastAt: 1_000, count: 1 },
  ]);
});

test('after a day they are gone, and a flood of different ones takes a bounded place', () => {
  const { clock, log, list } = createWorld();
  for (let lockId = 1; lockId <= 500; lockId++) log.warn({ code: 'c', lockId, text: 'x'.repeat(10_000) }, 'flood');
  expect(list()).toHaveLength(200);
  expect(list().every(({ detail }) => detail.length <= 300)).toBe(true);
  clock.at += 86_400_000 + 1;
  expect(list()).toEqual([]);
});
