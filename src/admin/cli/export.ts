// latchd export: the records of a lock for other programs.
import { command } from './command.ts';
import { counted, output, say } from './output.ts';
import { progressLine } from './progress.ts';
import { configuredDatabase } from './store-database.ts';
import { instant, positiveInteger, requireDatesInOrder } from './values.ts';

const formats = ['csv', 'jsonl'] as const;

interface Given {
  readonly lock: number;
  readonly from?: number;
  readonly to?: number;
  readonly format: (typeof formats)[number];
}

export const exportCommand = command<Given>({
  name: 'export',
  says: 'write the records of a lock to standard output, oldest first; the daemon may be running',
  settings: 'directory',
  options: [
    { flag: '--lock', value: '<lockId>', says: 'whose records', required: true, read: positiveInteger },
    {
      flag: '--from',
      value: '<date>',
      says: 'from this time of operation on: 2026-11-01, 2026-11-01T08:00Z or epoch milliseconds',
      read: instant,
    },
    { flag: '--to', value: '<date>', says: 'up to and including this time of operation; a day alone is its first instant', read: instant },
    { flag: '--format', value: '<format>', says: 'how', choices: formats, otherwise: 'csv' },
  ],
  examples: [['export --lock 7 --from 2026-11-01 > front-door.csv', 'the records of lock 7 since November, for a spreadsheet']],
  async run({ lock, from = 0, to = Number.MAX_SAFE_INTEGER, format }, { configured }) {
    requireDatesInOrder(from, to);
    // Records that go to a terminal show the progress themselves.
    const progress = process.stderr.isTTY && !process.stdout.isTTY ? progressLine() : undefined;
    const settings = configured();
    const database = configuredDatabase(settings);
    const part = database === undefined ? 'day' : 'part';
    const onProgress = (done: number, all: number, records: number) =>
      progress?.show(`${done} of ${counted(all, part)}, ${counted(records, 'record')}`);
    const warn = (sentence: string) => say(`latchd: ${sentence}`);
    const { exportLock, recordsInDirectory } = await import('../offline/files.ts');
    const read =
      database === undefined ? recordsInDirectory(settings.dataDir) : (await import('../offline/database.ts')).recordsInDatabase(database);
    const work = exportLock({
      read,
      lockId: lock,
      from,
      to,
      recordDays: settings.retention.records,
      format,
      output: output(),
      onProgress,
      warn,
    });
    const count = await work.finally(() => progress?.end());
    if (progress) say(`${counted(count, 'record')} of lock ${lock}`);
    return 0;
  },
});
