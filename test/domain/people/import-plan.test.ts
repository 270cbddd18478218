// An import changes what its table says, and nothing else (HTTP API 12.5, Decision 46).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exportTable, type Separator } from '../../../src/domain/people/export-table.ts';
import { planImport } from '../../../src/domain/people/import-plan.ts';
import type { Grant, Person } from '../../../src/domain/people/person.ts';
import type { PersonTarget } from '../../../src/domain/people/person-target.ts';
import type { Absent, ImportPlan } from '../../../src/domain/people/planned-import.ts';
import { now, runAll, sampleLocks, samplePeople, sampleSchedules, worldOf } from '../../support/sample-people.ts';

const plan = (text: string, people: readonly Person[] = [], absent: Absent = 'keep'): ImportPlan =>
  runAll(planImport(text, absent, worldOf(people)));

const exported = (people: readonly Person[], separator: Separator = ','): string =>
  [...exportTable(people, worldOf(people), separator)].join('');

describe('a table that was exported', () => {
  test('reads back as unchanged people only, whatever their names, dates, schedules, cards and grants', () => {
    fc.assert(
      fc.property(
        samplePeople,
        fc.constantFrom<Separator>(',', ';', '\t'),
        fc.constantFrom<Absent>('keep', 'revoke'),
        (people, separator, absent) => {
          fc.pre(absent === 'keep' || people.length > 0);
          const { errors, counts, locks, widened, people: planned } = plan(exported(people, separator), people, absent);
          expect(errors).toEqual([]);
          expect(counts).toEqual({ added: 0, updated: 0, unchanged: people.length, extraneous: 0 });
          expect({ locks, widened, changed: planned.filter(({ target }) => target !== undefined) }).toEqual({
            locks: [],
            widened: [],
            changed: [],
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Doors that a header can name without being quoted. */
const doors = ['Front door', 'Side door', 'lock:3', 'lock:6', 'Ground floor', 'group:3'];
const keysOfDoors = ['lock:1', 'lock:2', 'lock:3', 'lock:6', 'group:1', 'group:3'];

/** Dates in winter, with the first millisecond and the last one in Berlin. */
const someDates = [
  { cell: '', from: 0, to: 0 },
  { cell: '2026-12-01', from: Date.UTC(2026, 10, 30, 23), to: Date.UTC(2026, 11, 1, 23) - 1 },
  { cell: '2027-01-15', from: Date.UTC(2027, 0, 14, 23), to: Date.UTC(2027, 0, 15, 23) - 1 },
];
const someCells = ['', 'N', 'Y', 'Night', 'schedule:1'];
const scheduleOf: Readonly<Record<string, number | null>> = { Y: null, Night: 5, 'schedule:1': 1 };

interface Row {
  readonly who: number;
  readonly card: number;
  readonly from: (typeof someDates)[number];
  readonly to: (typeof someDates)[number];
  readonly cells: readonly string[];
}

const rows: fc.Arbitrary<readonly Row[]> = fc.array(
  fc
    .record({
      who: fc.nat(9),
      card: fc.nat(3),
      from: fc.constantFrom(...someDates),
      to: fc.constantFrom(...someDates),
      cells: fc.tuple(...doors.map(() => fc.constantFrom(...someCells))),
    })
    .filter(({ from, to }) => to.to === 0 || to.to >= from.from),
  { minLength: 1, maxLength: 12 },
);

/** What opens for a person: `lock:7 from to schedule`. */
const opensIn = (grants: readonly Pick<Grant, 'lockIds' | 'groupIds' | 'startDate' | 'endDate' | 'scheduleId'>[]): Set<string> =>
  new Set(
    grants.flatMap(({ lockIds, groupIds, startDate, endDate, scheduleId }) =>
      [...lockIds.map((id) => `lock:${id}`), ...groupIds.map((id) => `group:${id}`)].map(
        (door) => `${door} ${startDate} ${endDate} ${scheduleId}`,
      ),
    ),
  );
const live = (grants: readonly Grant[]): Grant[] => grants.filter(({ endDate }) => endDate === 0 || endDate >= now);

function cardOf(row: Row): string {
  return row.card === 0 ? '' : String(5_000_000 + row.who * 100 + row.card);
}

describe('a table with lines about people of the gateway and new ones', () => {
  const schedules = [...sampleSchedules, { scheduleId: 5, name: 'Night', hours: [] }] as unknown as typeof sampleSchedules;
  const planOf = (people: readonly Person[], table: readonly Row[]): ImportPlan => {
    const lines = table.map((row) => [`id ${row.who}`, cardOf(row), row.from.cell, row.to.cell, ...row.cells].join(';'));
    const text = [['Person', 'Card Number', 'From', 'To', ...doors].join(';'), ...lines].join('\n');
    return runAll(planImport(text, 'keep', worldOf(people, sampleLocks, schedules)));
  };
  /** Half of the people that lines name exist; none has a grant without a door. */
  const world = samplePeople.map((people) => people.map((person, at) => ({ ...person, externalId: `id ${at * 2}` })));

  test('changes the doors with a cell to just what the cells say, and nothing else of anybody', () => {
    fc.assert(
      fc.property(world, rows, (people, table) => {
        const { errors, people: planned, counts } = planOf(people, table);
        expect(errors).toEqual([]);
        for (const { before, target, line } of planned) {
          const externalId = before?.externalId ?? target?.externalId;
          const own = table.filter(({ who }) => `id ${who}` === externalId);
          expect(`id ${table[(line ?? 0) - 2]?.who}`).toBe(externalId);
          const wanted = new Set(opensIn(live(before?.grants ?? [])));
          keysOfDoors.forEach((key, n) => {
            const said = own.filter(({ cells }) => cells[n] !== '');
            if (said.length === 0) return;
            for (const one of wanted) if (one.startsWith(`${key} `)) wanted.delete(one);
            for (const { cells, from, to } of said)
              if (cells[n] !== 'N') wanted.add(`${key} ${from.from} ${to.to} ${scheduleOf[cells[n] ?? '']}`);
          });
          const after = target === undefined ? (before?.grants ?? []) : (target.grants as unknown as Grant[]);
          expect(opensIn(live(after))).toEqual(wanted);
          expectCards(before, target, new Set(own.map(cardOf).filter((card) => card !== '')));
          // Whoever is not changed is not written either.
          const grantIds = new Set(target?.grants.map(({ grantId }) => grantId).filter((id) => id !== null));
          expect([...grantIds].every((id) => before?.grants.some(({ grantId }) => grantId === id))).toBe(true);
        }
        expect(counts.added + counts.updated + counts.unchanged).toBe(new Set(table.map(({ who }) => who)).size);
      }),
      { numRuns: 200 },
    );
  });

  function expectCards(before: Person | undefined, target: PersonTarget | undefined, named: ReadonlySet<string>): void {
    const credentials = before?.credentials ?? [];
    const after = (target?.credentials ?? credentials.map(({ credentialId }) => credentialId)).map((one) =>
      typeof one === 'number' ? credentials.find(({ credentialId }) => credentialId === one) : one,
    );
    const wanted = credentials.filter(
      ({ kind, lost, number }) => kind !== 'card' || lost !== null || named.size === 0 || named.has(number),
    );
    const numbers = new Set([...wanted.map(({ number }) => number), ...named]);
    expect(new Set(after.map((one) => one?.number))).toEqual(numbers);
  }

  test('says on how many locks a card or passcode opens, ceases to, or does so at other times', () => {
    fc.assert(
      fc.property(world, rows, (people, table) => {
        const { locks, people: planned, widened } = planOf(people, table);
        const expected = new Map<number, { added: number; removed: number; different: number }>();
        const wider = new Set<number>();
        for (const { before, target } of planned) {
          if (target === undefined) continue;
          for (const { lockId, groupId } of sampleLocks) {
            const timesOn = (grants: readonly Grant[]) =>
              [...opensIn(live(grants))]
                .filter((one) => one.startsWith(`lock:${lockId} `) || one.startsWith(`group:${groupId} `))
                .map((one) => one.slice(one.indexOf(' ')));
            const then = new Set(timesOn(before?.grants ?? []));
            const after = new Set(timesOn(target.grants as unknown as Grant[]));
            const working = before?.credentials.filter(({ lost }) => lost === null).map(({ credentialId }) => credentialId) ?? [];
            const all = new Set<unknown>([...working, ...target.credentials]);
            for (const lost of before?.credentials.filter((one) => one.lost !== null) ?? []) all.delete(lost.credentialId);
            const sum = (before?.suspended === true ? undefined : expected.get(lockId)) ?? { added: 0, removed: 0, different: 0 };
            for (const credential of all) {
              const had = working.some((id) => id === credential) ? then : new Set();
              const has = target.credentials.some((one) => one === credential) ? after : new Set();
              if (had.size === 0 && has.size > 0) sum.added += 1;
              else if (had.size > 0 && has.size === 0) sum.removed += 1;
              else if ([...had].join() !== [...has].join() && !(had.size === has.size && [...had].every((one) => has.has(one as string))))
                sum.different += 1;
              if (before?.suspended !== true && typeof credential !== 'number' && has.size > 0) wider.add(lockId);
            }
            if ([...after].some((one) => ![...then].some((wide) => admitsNoLess(wide, one)))) wider.add(lockId);
            if (before?.suspended !== true && sum.added + sum.removed + sum.different > 0) expected.set(lockId, sum);
          }
        }
        expect(new Map(locks.map(({ lockId, ...sum }) => [lockId, sum]))).toEqual(expected);
        expect(widened).toEqual([...wider].sort((one, other) => one - other));
      }),
      { numRuns: 200 },
    );
  });
});

/** Of ` from to schedule`: at the first instant, the last one, and in between. */
function admitsNoLess(wide: string, narrow: string): boolean {
  const [[from, to, hours], [start, end, other]] = [wide, narrow].map((one) => one.trim().split(' ')) as [string[], string[]];
  const last = (date: string | undefined) => (date === '0' ? Number.POSITIVE_INFINITY : Number(date));
  return Number(from) <= Number(start) && last(to) >= last(end) && (hours === 'null' || hours === other);
}

describe('people who are not in the table', () => {
  const building = (): Person[] => {
    const base = { note: '', suspended: false, removed: false, createdAt: 1, createdBy: 'admin' };
    const grant = (grantId: number, lockIds: number[]) => ({
      grantId,
      lockIds,
      groupIds: [],
      startDate: 0,
      endDate: 0,
      scheduleId: null,
      excluded: [],
      createdAt: 1,
      createdBy: 'admin',
    });
    const card = (credentialId: number) => ({
      credentialId,
      kind: 'card',
      number: `${7_000_000 + credentialId}`,
      width: null,
      name: '',
      startDate: 0,
      endDate: 0,
      lost: null,
      once: false,
    });
    return [1, 2, 3].map((n) => ({
      ...{ ...base, personId: n, externalId: `HR-${n}`, name: `P ${n}`, credentials: [card(n)], grants: [grant(n, [1, 3])] },
    })) as unknown as Person[];
  };
  const text = 'Person,Front door\nHR-1,Y\nHR-2,Y\n';

  test('are counted, and stay as they are', () => {
    const { counts, people, removesMoreThanAQuarter } = plan(text, building());
    expect(counts).toEqual({ added: 0, updated: 0, unchanged: 2, extraneous: 1 });
    expect(people.every(({ target }) => target === undefined)).toBe(true);
    expect(removesMoreThanAQuarter).toBe(false);
  });

  test('lose the doors of the table, and no others, when the table is the whole truth', () => {
    const { people, locks, widened } = plan(text, building(), 'revoke');
    expect(people[0]).toMatchObject({
      line: null,
      target: { externalId: 'HR-3', credentials: [3], grants: [{ grantId: 3, lockIds: [3] }] },
    });
    expect(locks).toEqual([{ lockId: 1, added: 0, removed: 1, different: 0 }]);
    expect(widened).toEqual([]);
  });

  test('are a reason to look twice when more than a quarter goes', () => {
    expect(plan('Person,Front door,lock:3\nHR-1,Y,Y\n', building(), 'revoke').removesMoreThanAQuarter).toBe(true);
    expect(plan('Person,Front door\nHR-1,Y\nHR-2,Y\n', building(), 'revoke').removesMoreThanAQuarter).toBe(false);
  });

  test('do not lose everything to a table without a line', () => {
    expect(plan('Person,Front door\n', building(), 'revoke').errors).toEqual([{ line: 1, column: null, message: expect.any(String) }]);
    expect(plan('Person,Front door\n', building()).errors).toEqual([]);
  });
});
