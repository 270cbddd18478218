// Weekly hours around every change of the clocks, minute by minute, and over a year: the gateway's answer to "who could", and a lock that got its
// calendar two weeks before and was away since, against a model in Python.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { refusalAt } from '../../../device-sim/weekly-hours.ts';
import { opensAt } from '../../../src/domain/access/hours-at.ts';
import { createTimeZone, nextTransitions } from '../../../src/domain/time-zone.ts';
import { createRandom, type Random } from '../../support/seeded-random.ts';

const year = 2026;
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** With changes at different hours, one of half an hour, one south of the equator, and zones without any. */
const zones = ['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Australia/Sydney', 'Asia/Kathmandu', 'UTC'];

interface Case {
  readonly zone: string;
  readonly lines: readonly { readonly days: readonly number[]; readonly from: number; readonly to: number }[];
  readonly startDate: number;
  readonly endDate: number;
  readonly holidays: readonly string[];
  readonly from: number;
  /** Minutes. */
  readonly step: number;
  readonly count: number;
}

function python(asked: object): unknown {
  const script = join(import.meta.dirname, '../../support/weekly_hours.py');
  const { status, stdout, stderr } = spawnSync('python3', ['-W', 'error', script], { input: JSON.stringify(asked), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

function randomCase(random: Random, zone: string, around: number, span: Pick<Case, 'from' | 'step' | 'count'>): Case {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const end = span.from + span.count * span.step * minuteMs;
  const lines = Array.from({ length: 1 + random.below(4) }, () => {
    // Most begin or end in the hours in which clocks change.
    const from = random.chance(0.5) ? random.below(300) : random.below(1_439);
    const days = [1, 2, 3, 4, 5, 6, 7, 8].filter(() => random.chance(0.6));
    return { days: days.length === 0 ? [7] : days, from, to: from + 1 + random.below(1_440 - from) };
  });
  return {
    ...{ zone, lines, ...span },
    startDate: random.chance(0.3) ? span.from + random.below(end - span.from) : 0,
    endDate: random.chance(0.3) ? span.from + random.below(end - span.from) : 0,
    holidays: [around, around + dayMs, around + 40 * dayMs].filter(() => random.chance(0.4)).map(date),
  };
}

/** Some in the hours before and after each change, and some over the whole year. */
function randomCases(random: Random): readonly Case[] {
  const changes = python({ zones, year }) as Readonly<Record<string, readonly number[]>>;
  expect(zones.map((zone) => changes[zone]?.length)).toEqual([2, 2, 2, 2, 2, 0, 0]);
  const begin = Date.UTC(year, 0, 1);
  return zones.flatMap((zone) => [
    ...(changes[zone] ?? []).flatMap((at) =>
      Array.from({ length: 8 }, () => randomCase(random, zone, at, { from: at - 720 * minuteMs, step: 1, count: 1_800 })),
    ),
    ...Array.from({ length: 3 }, () =>
      randomCase(random, zone, begin + random.below(300) * dayMs, { from: begin, step: 487, count: 1_050 }),
    ),
  ]);
}

function judgedBy(judge: (at: number) => boolean, { from, step, count }: Case): string {
  return Array.from({ length: count }, (_, n) => (judge(from + n * step * minuteMs) ? '1' : '0')).join('');
}

test('hours hold in each zone just when Python says so, for the gateway and for a lock that was away since two weeks before', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const cases = randomCases(createRandom(seed));
  const expected = python({ cases }) as readonly string[];
  expect(expected.some((judged) => judged.includes('01'))).toBe(true);
  for (const [index, one] of cases.entries()) {
    const zone = createTimeZone(one.zone);
    const hours = one.lines.map(({ days, from, to }) => `${days.join('')}:${from}-${to}`).join(';');
    const { startDate, endDate, holidays } = one;
    const window = { startDate, endDate, hours };
    const told = one.from - 14 * dayMs;
    const calendar = { offset: zone.offsetAt(told), transitions: [...nextTransitions(zone, told, 4)], holidays: [...holidays] };
    const offset = zone.offsetAt(told);
    const judged = {
      gateway: judgedBy((at) => opensAt(window, at, { zone, holidays }), one),
      lock: judgedBy((at) => refusalAt(window, at, calendar, offset) === undefined, one),
    };
    expect({ seed, ...one, ...judged }).toEqual({ seed, ...one, gateway: expected[index], lock: expected[index] });
  }
}, 60_000);
