// Long lists against brute force: whatever is asked of random rows, each page is that of a plain search and a plain sort.
import { expect, test } from '@jest/globals';
import { createLongLists } from '../../src/domain/long-lists.ts';
import { paginate } from '../../src/domain/page.ts';
import { callers, codeOf, stays } from '../support/domain.ts';
import { createRandom } from '../support/seeded-random.ts';
import { createSettableClock } from '../support/settable-clock.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly at: number;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const names = ['Room 2', 'room 10', 'Room 1', 'ärger', 'Arbeit', 'zoo', 'Straße', 'Strasse', ''];
const columns = { name: ({ name }: Row) => name, at: ({ at }: Row) => at };
const textsOf = ({ name, at }: Row) => [name, `at ${at}`];
const { admin, administrator } = callers;

function rowsOf(count: number, seed: number): readonly Row[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, n) => ({ id: n + 1, name: random.pick(names), at: random.below(5) }));
}

test('each page is that of a plain search and a plain sort, from the first row to the last', async () => {
  const lists = createLongLists({ clock: createSettableClock(), nextTurn });
  const collator = new Intl.Collator('de', { numeric: true, sensitivity: 'base' });
  for (const [count, search, by, isDescending] of [
    [0, '', 'name', false],
    [1, '', 'name', true],
    [500, 'ROO', 'name', false],
    [777, '', 'name', true],
    [1_000, 'at 3', 'at', true],
    [1_000, '', 'at', false],
  ] as const) {
    const rows = rowsOf(count, count);
    const isWanted = ({ id }: Row) => id % 3 !== 0;
    const found = rows.filter((row) => isWanted(row) && textsOf(row).some((text) => text.toLowerCase().includes(search.toLowerCase())));
    const compare = (one: Row, other: Row) => (by === 'at' ? one.at - other.at : collator.compare(one.name, other.name));
    const expected = found.toSorted((one, other) => (isDescending ? compare(other, one) : compare(one, other)));
    for (const pageNo of [1, 2, 7, 100]) {
      const asked = { search, sort: { by, isDescending }, pageNo, pageSize: 30 };
      const page = await lists.page(admin, (request) => paginate(rows, request), { asked, textsOf, columns, isWanted }, stays());
      expect(page).toEqual(paginate(expected, asked));
    }
  }
});

test('other work runs between short steps, and where nothing is asked there are none', async () => {
  let [turns, ms] = [0, 0];
  const lists = createLongLists({
    // Each look at the clock takes a while.
    clock: { ...createSettableClock(), monotonic: () => (ms += 0.2) },
    nextTurn: async () => {
      turns += 1;
    },
  });
  const rows = rowsOf(6_400, 1);
  const all = (request: { pageNo: number; pageSize: number }) => paginate(rows, request);
  const page = { pageNo: 1, pageSize: 10 };
  expect(await lists.page(admin, all, { asked: page, textsOf, columns })).toEqual(paginate(rows, page));
  expect(turns).toBe(0);
  await lists.page(admin, all, { asked: { ...page, search: 'room', sort: { by: 'name', isDescending: false } }, textsOf, columns });
  expect(turns).toBeGreaterThan(10);
});

test('an account asks one question at a time: too many are refused, others do not wait for them, and who has left is passed over', async () => {
  const lists = createLongLists({ clock: createSettableClock(), nextTurn });
  const rows = rowsOf(10_000, 2);
  let begun = 0;
  const ask = (caller = admin, gone: AbortSignal = stays()) =>
    lists.page(
      caller,
      (request) => {
        begun += 1;
        return paginate(rows, request);
      },
      { asked: { search: 'room', pageNo: 1, pageSize: 10 }, textsOf, columns },
      gone,
    );
  const left = new AbortController();
  const first = ask();
  const leaving = codeOf(() => ask(admin, left.signal));
  left.abort();
  const waiting = Array.from({ length: 16 }, () => ask());
  expect(await codeOf(() => ask())).toBe('rate-limited');
  expect((await ask(administrator)).total).toBe((await first).total);
  await Promise.all(waiting);
  await leaving;
  expect(begun).toBe(18);
});
