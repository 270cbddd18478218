// The text of tables: what spreadsheets and other systems write, and what is wrong in it (HTTP API 12.5).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planImport } from '../../../src/domain/people/import-plan.ts';
import { cellText, createTableProblems, readTable, type TableLine } from '../../../src/domain/people/import-table.ts';
import { createLocalDays } from '../../../src/domain/people/local-days.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { Absent, ImportWorld } from '../../../src/domain/people/planned-import.ts';
import { berlinOffset, runAll, worldOf } from '../../support/sample-people.ts';

function read(text: string) {
  const problems = createTableProblems();
  const { header, readLines } = runAll(readTable(text, problems));
  const lines: TableLine[] = [];
  runAll(readLines((line) => lines.push(line)));
  return { header, lines: lines.map(({ cells }) => cells), at: lines.map(({ line }) => line), problems: problems.list };
}

describe('a table', () => {
  test('is read with commas, semicolons or tabs, with or without a byte order mark, with any line ends', () => {
    for (const separator of [',', ';', '\t'])
      for (const end of ['\n', '\r\n', '\r'])
        for (const mark of ['', '\uFEFF']) {
          const text = `${mark}Person${separator}"Door; 1, left"${end}${end}A${separator} Y ${end}"B ""x""${end}y"${separator}N${end}C${separator}Y`;
          const { header, lines, at, problems } = read(text);
          expect({ header, lines, at, problems }).toEqual({
            header: ['Person', 'Door; 1, left'],
            lines: [
              ['A', 'Y'],
              [`B "x"${end}y`, 'N'],
              ['C', 'Y'],
            ],
            at: [3, 4, 6],
            problems: [],
          });
        }
  });

  test('has the texts that were written, formulas, quotes and blanks included', () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('=1', "'=1", "''@", ' x', '"', '\t', '+', "'", '＝1', '-1\n'));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), fc.constantFrom(',', ';', '\t'), (rows, separator) => {
        const text = [['a', 'b'], ...rows].map((row) => `${row.map((one) => cellText(one, separator)).join(separator)}\r\n`).join('');
        expect(read(text)).toMatchObject({ lines: rows.filter((row) => row.join('') !== '' || row.length > 1), problems: [] });
      }),
      { numRuns: 200 },
    );
  });

  test('shows a spreadsheet no formula', () => {
    for (const text of ['=1', '+1', '-1', '@x', '\t=1', "'=1"]) expect(cellText(text, ',').replace(/^"/, '')).toMatch(/^'/);
  });

  test('may have empty cells behind a line, but no line without its end', () => {
    expect(read('a,b\n1,2,,\n').lines).toEqual([['1', '2']]);
    expect(read('a,b\n1,2,x\n1\n').problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '2 has 3 cells, the header has 2',
      '3 has 1 cells, the header has 2',
    ]);
  });

  test('ends where it cannot be read, and says where that is', () => {
    const messageOf = (text: string) => read(text).problems.map(({ line, message }) => `${line} ${message}`);
    expect(messageOf('a,b\n1,"2\n3,4\n')).toEqual(['2 has a quote that is never closed; the rest of the file was not read']);
    expect(messageOf('a,b\n1,"2"x\n')).toEqual(['2 has text behind a closing quote; the rest of the file was not read']);
    expect(messageOf(`a,b\n${'x'.repeat(5_000)},2\n`)).toEqual([
      '2 has a cell of more than 4096 characters; the rest of the file was not read',
    ]);
    expect(messageOf(','.repeat(30_000))).toEqual(['1 has more than 20000 cells; the rest of the file was not read']);
  });
});

function errorsOf(text: string, people: readonly Person[] = [], absent: Absent = 'keep', world: ImportWorld = worldOf(people)) {
  const { errors } = runAll(planImport(text, absent, world));
  return errors.map(({ line, column, message }) => `${line} ${column}: ${message}`);
}

const someone = (more: object): Person =>
  ({
    personId: 5,
    externalId: 'HR-5',
    name: 'Erika M.',
    suspended: false,
    removed: false,
    credentials: [],
    grants: [],
    ...more,
  }) as unknown as Person;
const card = (number: string) => ({ credentialId: 1, kind: 'card', number, lost: null });

describe('a wrong line', () => {
  test('is named with its column and the reason, and all of them at once', () => {
    const text = `Person,Name,Card Number,From,To,Front door,Archive
HR-1,A,12x,2026-02-30,31.12.2026,yes,Y
HR-2,B,1,2027-02-01,2027-01-31,Y,Y
,C,,,,Y,Y
person:9,D,,,,Y,Y
HR-3,E,18446744073709551616,,,Y,Y
HR-4,F,,,2026-01-01,Y,Y
HR-5,${'x'.repeat(65)},,,,Y,N
HR-5,one name,,,,Y,N
HR-5,other name,,,,Y,N
`;
    expect(errorsOf(text)).toEqual([
      '2 Card Number: must be 1 to 20 decimal digits of a number that fits in 8 bytes',
      '2 From: must be a date such as 2026-12-31, or empty',
      '2 To: must be a date such as 2026-12-31, or empty',
      '2 Front door: is not Y, N or the name of a schedule',
      '3 To: is before From',
      '4 null: says of nobody: it needs a Person or Card Number',
      '5 Person: there is no person 9',
      '6 Card Number: must be 1 to 20 decimal digits of a number that fits in 8 bytes',
      '8 Name: must have at most 64 characters, none of them a control character',
      '9 Name: differs from line 8 of the same person',
      '10 Name: differs from line 8 of the same person',
      '7 To: is in the past',
    ]);
  });

  test('names a column that is unclear, unknown, or there twice', () => {
    expect(errorsOf('Name,Front door,Nowhere,lock:1,lock:99,\n')).toEqual([
      '1 Nowhere: is no alias of a lock and no name of a group',
      '1 lock:1: is the same column as Front door',
      '1 lock:99: is no alias of a lock and no name of a group',
      '1 null: has no name for column 6',
      '1 null: must have a column Person or Card Number',
    ]);
    expect(errorsOf('Person,ARCHIVE\n')).toEqual(['1 ARCHIVE: is the name of several doors: write lock:3 or lock:4']);
    expect(errorsOf('')).toEqual(['1 null: must have a column Person or Card Number']);
  });

  test('does not take a card from somebody else, in whichever byte order a reader reads it', () => {
    const people = [someone({ credentials: [card('170')] })];
    for (const number of ['170', '0170', '2852126720'])
      expect(errorsOf(`Person,Card Number\nHR-6,${number}\n`, people)).toEqual([
        '2 Card Number: belongs to person:5, who must give it back first',
      ]);
    expect(errorsOf('Person,Card Number\nHR-6,170\nHR-7,2852126720\n')).toEqual([
      '3 Card Number: is in line 2, too, which is about somebody else',
    ]);
    expect(errorsOf('Person,Card Number\nHR-5,170\nHR-5,170\n', people)).toEqual([]);
  });

  test('is one of the first thousand, and the others are counted', () => {
    const { errors, errorCount, people } = runAll(planImport(`Person,From\n${'A,x\n'.repeat(3_000)}`, 'keep', worldOf([])));
    expect({ named: errors.length, errorCount, people }).toEqual({ named: 1_000, errorCount: 3_000, people: [] });
  });

  test('is one that gives a person too much', () => {
    const cards = Array.from({ length: 11 }, (_, n) => `A,${1000 + n},,Y`);
    const grants = Array.from({ length: 21 }, (_, n) => `B,,2027-01-${String(n + 1).padStart(2, '0')},Y`);
    expect(errorsOf(['Person,Card Number,From,Front door', ...cards, ...grants].join('\n'))).toEqual([
      '12 Card Number: is one too many: a person has at most 10 cards and passcodes',
      '13 null: leads to 21 grants of one person, of which there can be 20: too many different dates',
    ]);
  });
});

/** The sample in the README of uhppoted-app-s3: tabs, no person, a time profile by its number. */
const acl = `Card Number\tFrom\tTo\tWorkshop\tSide Door\tFront Door\tGarage\tUpstairs\tDownstairs\tTower\tCellar
123465537\t2020-01-01\t2020-12-31\tN\tN\tY\tN\tY\tN\tY\tY
231465538\t2020-01-01\t2020-12-31\tY\tN\tY\tN\tN\tY\t29\tN
635465539\t2020-01-01\t2020-12-31\tN\tN\tN\tN\tY\tN\tY\tY
`;
const aclDoors = ['Workshop', 'Side Door', 'Front Door', 'Garage', 'Upstairs', 'Downstairs', 'Tower', 'Cellar'];

describe('the access control list of uhppoted', () => {
  test('is read as it is: the card names the person, dates are local and whole days', () => {
    const schedules = [{ scheduleId: 9, name: '29', hours: [] }] as unknown as ImportWorld['schedules'];
    const locks = aclDoors.map((alias, place) => ({
      lockId: place + 1,
      alias,
      groupId: 0,
      groupName: '',
    })) as unknown as ImportWorld['locks'];
    const people = [someone({ externalId: null, credentials: [card('231465538')] })];
    const world = { ...worldOf(people, locks, schedules), now: Date.UTC(2020, 5, 1) };
    const { errors, people: planned, counts } = runAll(planImport(acl, 'keep', world));
    expect(errors).toEqual([]);
    expect(counts).toEqual({ added: 2, updated: 1, unchanged: 0, extraneous: 0 });
    const dates = { startDate: Date.UTC(2019, 11, 31, 23), endDate: Date.UTC(2020, 11, 31, 23) - 1 };
    expect(planned[1]).toMatchObject({
      before: { personId: 5 },
      target: {
        credentials: [1],
        grants: [
          { grantId: null, lockIds: [1, 3, 6], groupIds: [], scheduleId: null, ...dates },
          { grantId: null, lockIds: [7], groupIds: [], scheduleId: 9, ...dates },
        ],
      },
    });
    expect(planned[0]?.target).toMatchObject({ externalId: null, name: '123465537', credentials: [{ kind: 'card', number: '123465537' }] });
    expect(planned.map(({ target }) => target?.grants.flatMap(({ lockIds }) => lockIds))).toEqual([
      [3, 5, 7, 8],
      [1, 3, 6, 7],
      [5, 7, 8],
    ]);
  });
});

describe('a local day', () => {
  test('has 23 hours in spring and 25 in autumn, to its last millisecond', () => {
    const days = createLocalDays(berlinOffset);
    const hoursOf = (date: string) => ((days.endOf(date) ?? 0) - (days.startOf(date) ?? 0)) / 3_600_000;
    expect([hoursOf('2026-03-28'), hoursOf('2026-03-29'), hoursOf('2026-10-25'), hoursOf('2026-10-26')]).toEqual([24, 23, 25, 24]);
    expect(days.startOf('2026-10-25')).toBe(Date.UTC(2026, 9, 24, 22));
    expect(days.dateOf(Date.UTC(2026, 9, 25, 22, 59, 59, 999))).toBe('2026-10-25');
  });

  test('begins with its first instant where midnight does not exist', () => {
    // As in Havana: at midnight the clocks go to 01:00.
    const change = Date.UTC(2026, 2, 8, 5);
    const days = createLocalDays((at) => (at < change ? -5 : -4) * 3_600_000);
    expect(days.startOf('2026-03-08')).toBe(change);
    expect(days.endOf('2026-03-07')).toBe(change);
  });

  test('is one of the calendar', () => {
    const days = createLocalDays(() => 0);
    for (const date of ['2026-02-29', '2026-13-01', '2026-1-1', '', '20260101', '2026-00-10']) expect(days.startOf(date)).toBeUndefined();
    expect(days.startOf('2028-02-29')).toBe(Date.UTC(2028, 1, 29));
  });
});
