// latchd audit: who has changed what.
import { command, type Group } from './command.ts';
import { askForSome, inWords, manage } from './management.ts';
import { dateText, jsonOption, print, printTable } from './output.ts';
import { instant, positiveInteger, requireDatesInOrder } from './values.ts';

interface Given {
  readonly json?: true;
  readonly from?: number;
  readonly to?: number;
  readonly count: number;
}

interface Entry {
  readonly date: number;
  readonly username: string;
  readonly address: string;
  readonly action: string;
  readonly object: string;
  readonly detail: string;
  readonly outcome: string;
  readonly count: number;
}

const list = command<Given>({
  name: 'list',
  says: 'show who has changed what, and who tried in vain to unlock, the newest first',
  settings: 'directory',
  options: [
    { flag: '--from', value: '<date>', says: 'from this time on: 2026-11-01, 2026-11-01T08:00Z or epoch milliseconds', read: instant },
    { flag: '--to', value: '<date>', says: 'up to and including this time', read: instant },
    { flag: '--count', value: '<count>', says: 'so many of them at most', otherwise: '50', read: positiveInteger },
    jsonOption,
  ],
  examples: [
    ['audit list', 'the last fifty changes, and what was refused'],
    ['audit list --from 2026-11-01 --count 100000 --json > november.json', 'all since November, for a program'],
  ],
  async run({ from = 0, to = 0, count, json }, { configured }) {
    // 0 means that this end is open.
    if (to > 0) requireDatesInOrder(from, to);
    const range = { startDate: String(from), endDate: String(to) };
    const names = { startDate: '--from', endDate: '--to' };
    const work = manage(configured(), (ask) => askForSome<Entry>(ask, 'GET /api/v1/gateway/audit', range, count));
    const entries = await inWords({ names, listed: 'audit list' }, work);
    if (json) print(JSON.stringify(entries));
    else {
      printTable(entries, {
        when: ({ date }) => dateText(date),
        who: ({ username }) => username,
        from: ({ address }) => address || '-',
        action: ({ action }) => action,
        object: ({ object }) => object,
        detail: ({ detail }) => detail || '-',
        outcome: ({ outcome, count }) => (count > 1 ? `${outcome}, ${count} times` : outcome),
      });
    }
    return 0;
  },
});

export const audit: Group = { name: 'audit', says: 'show who has changed what, and what was refused', commands: [list] };
