// Cells of a spreadsheet show what was written: read by a reader of our own, and the same from the command line and from the console.
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { csvLine } from '../../../src/admin/offline/csv.ts';
import { exportLock, recordsInDirectory } from '../../../src/admin/offline/files.ts';
import { csvText } from '../../../src/console/csv.ts';
import type { RecordDraft } from '../../../src/domain/records/record.ts';
import { manualClock, startedStore, withDirectory } from '../../stores/files/support/directory.ts';
import { lockId, sampleEvents, sampleLock } from '../../stores/files/support/samples.ts';
import { createRandom } from '../../support/seeded-random.ts';

/** The cells of one row, as RFC 4180 reads it. */
function cellsOf(line: string): string[] {
  const cells = [...line.replace(/\r\n$/, '').matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)];
  return cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

const begins = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
const formulas = [
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '=HYPERLINK("http://x","y")',
  '=',
  '="a,b"',
];

test('no cell begins like a formula, and each still has its content', () => {
  for (const formula of formulas) {
    const [cell = '', next] = cellsOf(csvLine([formula, 'next']));
    expect([cell, next]).toEqual([`'${formula}`, 'next']);
  }
  const plain = ['Erika Mustermann', '4711', '', "it's", 'a=b', ' =1', 'a,b', 'say "hello"', 'two\r\nlines', 'Größe'];
  expect(cellsOf(csvLine(plain))).toEqual(plain);
});

test('the console writes the very same rows, behind a byte order mark', () => {
  const random = createRandom(7);
  const letters = [...begins, '"', ',', 'a', ' ', "'", '1', ';'];
  const any = () => Array.from({ length: random.below(5) }, () => random.pick(letters)).join('');
  const rows = Array.from({ length: 500 }, () => [any(), any(), any()]);
  expect(csvText(rows)).toBe(`\uFEFF${rows.map(csvLine).join('')}`);
});

test('an export of records escapes the texts of a lock and its card in the same way', () =>
  withDirectory(async (directory) => {
    const now = Date.now();
    const { store } = await startedStore(directory, { clock: manualClock(now) });
    await store.ports.counters.next('lockId');
    await store.ports.locks.add(sampleLock(1));
    const [event] = sampleEvents(1, 1);
    await store.ports.records.append(lockId(1), 'e', [
      { ...event, username: '=1+1', type: '@SUM(A1)', lockDate: now, serverDate: now } as RecordDraft,
    ]);
    await store.stop();
    const output = new PassThrough();
    const nothing = () => undefined;
    await exportLock({
      read: recordsInDirectory(directory),
      lockId: 1,
      from: 0,
      to: 9e15,
      recordDays: 184,
      format: 'csv',
      output,
      onProgress: nothing,
      warn: nothing,
    });
    const text = String(output.read());
    expect(text).toMatch(/,'@SUM\(A1\),.*,'=1\+1,/);
    expect(text).toMatch(/^recordId,lockId,/);
  }));
