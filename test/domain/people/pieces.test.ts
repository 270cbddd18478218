// One window of several. The judge is a few lines that look at an instant, and share nothing with the code.
import { expect, test } from '@jest/globals';
import type { ValidWindow } from '../../../src/domain/credentials/entry.ts';
import { hoursText } from '../../../src/domain/people/hours.ts';
import { piecesOf, windowAt } from '../../../src/domain/people/pieces.ts';
import { createRandom } from '../../support/seeded-random.ts';

const window = (startDate: number, endDate: number, hours = '', once = false): ValidWindow => ({ startDate, endDate, hours, once });
const office = '12345:480-1080';

test('time is cut at each edge, neighbours that are equal are joined, and what is over has no piece', () => {
  const windows = [window(100, 499), window(300, 0, office), window(500, 599), window(50, 60, '8:0-10')];
  expect(piecesOf(windows)).toEqual([
    { window: window(50, 60, '8:0-10'), of: [3] },
    { window: window(100, 599), of: [0, 1, 2] },
    { window: window(600, 0, office), of: [1] },
  ]);
  expect([0, 61, 599, 600, 9e12].map((now) => windowAt(windows, now)?.startDate)).toEqual([50, 100, 100, 600, 600]);
  expect(windowAt([window(1, 5)], 6)).toBeNull();
  expect(windowAt([], 6)).toBeNull();
});

test('with an open side a window is since ever or for ever, each by itself', () => {
  expect(piecesOf([window(0, 9), window(10, 0)])).toEqual([{ window: window(0, 0), of: [0, 1] }]);
  expect(piecesOf([window(0, 0, office), window(1, 9)]).map((piece) => piece.window)).toEqual([window(1, 9), window(10, 0, office)]);
  expect(piecesOf([window(0, 0, office), window(5, 9)]).map((piece) => piece.window)).toEqual([
    window(0, 4, office),
    window(5, 9),
    window(10, 0, office),
  ]);
});

/** Of the judge: times in minutes, days of 1440 of them, the first is a Monday, every eleventh is a holiday. */
interface JudgedGrant {
  /** Both included; null: open. */
  readonly from: number | null;
  readonly to: number | null;
  /** null: at all hours. */
  readonly lines: readonly { readonly days: readonly number[]; readonly from: number; readonly to: number }[] | null;
}
const dayLength = 1_440;
const isHoliday = (day: number) => day % 11 === 10;

function isOpen(lines: NonNullable<JudgedGrant['lines']>, at: number): boolean {
  const [day, minute] = [Math.floor(at / dayLength), at % dayLength];
  const kind = isHoliday(day) ? 8 : (day % 7) + 1;
  return lines.some(({ days, from, to }) => days.includes(kind) && from <= minute && minute < to);
}
function isGranted(grants: readonly JudgedGrant[], at: number): boolean {
  return grants.some(
    ({ from, to, lines }) => (from === null || from <= at) && (to === null || at <= to) && (lines === null || isOpen(lines, at)),
  );
}
/** What a lock does with what it holds. */
function admits(held: ValidWindow | null, at: number): boolean {
  if (held === null || at < held.startDate || (held.endDate !== 0 && at > held.endDate)) return false;
  if (held.hours === '') return true;
  const lines = held.hours.split(';').map((text) => {
    const [days = '', from = '', to = ''] = text.split(/[:-]/);
    return { days: [...days].map(Number), from: Number(from), to: Number(to) };
  });
  return isOpen(lines, at);
}

test('of 10,000 random sets of grants, with a lock that is away at random, it never admits more than their union, and all of it while it is there', () => {
  const { next: random, below: upTo } = createRandom(17);
  const weeks = 14 * dayLength;
  let [tooMuch, tooLittle, admitted] = [0, 0, 0];
  for (let run = 0; run < 10_000; run++) {
    const grants = Array.from({ length: 1 + upTo(4) }, (): JudgedGrant => {
      const [one, other] = [1 + upTo(weeks), 1 + upTo(weeks)];
      const line = () => {
        const from = upTo(1_380);
        return { days: [1, 2, 3, 4, 5, 6, 7, 8].filter(() => random() < 0.5), from, to: from + 1 + upTo(dayLength - from) };
      };
      return {
        from: random() < 0.2 ? null : Math.min(one, other),
        to: random() < 0.2 ? null : Math.max(one, other),
        lines: random() < 0.3 ? null : Array.from({ length: 1 + upTo(3) }, line),
      };
    });
    const windows = grants.map(({ from, to, lines }) => window(from ?? 0, to ?? 0, lines === null ? '' : hoursText(lines)));
    const linesAtMost = run % 3 === 0 ? 1 + upTo(8) : undefined;
    let held: ValidWindow | null = null;
    let at = 1;
    while (at < weeks) {
      const isOnline = random() < 0.7;
      // The reconciler looks at each edge while the lock is there.
      if (isOnline) held = windowAt(windows, at, linesAtMost);
      const [may, does] = [isGranted(grants, at), admits(held, at)];
      if (does && !may) tooMuch += 1;
      if (may && !does && isOnline && linesAtMost === undefined) tooLittle += 1;
      if (does) admitted += 1;
      const edges = grants.flatMap(({ from, to }) => [from ?? 0, (to ?? 0) + 1, (from ?? 0) - 1, to ?? 0]).filter((edge) => edge > at);
      at = Math.min(at + 1 + upTo(3 * dayLength), random() < 0.5 ? weeks : Math.min(weeks, ...edges));
    }
  }
  expect(admitted).toBeGreaterThan(20_000);
  expect({ tooMuch, tooLittle }).toEqual({ tooMuch: 0, tooLittle: 0 });
});
