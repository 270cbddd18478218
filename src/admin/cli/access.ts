// latchd access: who may open what. Only the running daemon knows it.
import { exportAccess, importCommand } from './access-import.ts';
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { instant, positiveInteger } from './values.ts';

interface Opener {
  readonly personId: number | null;
  readonly kind: string;
  readonly name: string;
  readonly cardNumber: string | null;
  readonly certain: boolean;
  readonly because: string;
}

interface WhoGiven {
  readonly lock: number;
  readonly at?: number;
  readonly known?: number;
  readonly json?: true;
}

const who = command<WhoGiven>({
  name: 'who',
  says: 'show who could open a lock at a date',
  settings: 'directory',
  options: [
    { flag: '--lock', value: '<lockId>', says: 'the lock', required: true, read: positiveInteger },
    { flag: '--at', value: '<date>', says: 'now unless given; 2026-11-01T08:00Z, 2026-11-01 or epoch milliseconds', read: instant },
    { flag: '--known', value: '<date>', says: 'as it was known then, not now', read: instant },
    jsonOption,
  ],
  examples: [
    ['access who --lock 7 --at 2026-11-20T22:30Z', 'who could have been there last Friday night'],
    ['access who --lock 7 --at 2026-11-20 --known 2026-11-21', 'what was known of it a day later'],
  ],
  async run({ lock, at, known, json }, { configured }) {
    const date = at ?? Date.now();
    const parameters = { lockId: String(lock), date: String(date), ...(known !== undefined && { knownAt: String(known) }) };
    const names = { lockId: '--lock', date: '--at', knownAt: '--known' };
    const work = manageRunning(configured(), (ask) => askForAll<Opener>(ask, 'GET /api/v1/access/who', parameters));
    const openers = await inWords({ names, listed: 'lock list' }, work);
    if (json) print(JSON.stringify(openers));
    else if (openers.length === 0) say(`nobody could open lock ${lock} at ${dateText(date)}`);
    else {
      printTable(openers, {
        who: ({ name }) => name || '-',
        by: ({ kind }) => kind,
        card: ({ cardNumber }) => cardNumber ?? '-',
        certain: ({ certain }) => (certain ? 'yes' : 'no'),
        because: ({ because }) => because,
      });
    }
    return 0;
  },
});

interface Comparison {
  readonly lockId: number;
  readonly unchanged: number;
  readonly different: number;
  readonly missing: number;
  readonly extraneous: number;
  readonly state: string;
  readonly paused: boolean;
}

const compare = command<{ readonly json?: true }>({
  name: 'compare',
  says: 'show for each lock what is as wanted, and what is not',
  settings: 'directory',
  options: [jsonOption],
  examples: [['access compare', 'look at it after a restore, before access resume']],
  async run({ json }, { configured }) {
    const work = manageRunning(configured(), (ask) => askForAll<Comparison>(ask, 'GET /api/v1/access/compare'));
    const rows = await inWords({ listed: 'lock list' }, work);
    if (json) print(JSON.stringify(rows));
    else {
      printTable(rows, {
        lock: ({ lockId }) => lockId,
        'as wanted': ({ unchanged }) => unchanged,
        'other dates': ({ different }) => different,
        missing: ({ missing }) => missing,
        'too many': ({ extraneous }) => extraneous,
        is: ({ state }) => state,
        paused: ({ paused }) => (paused ? 'yes' : 'no'),
      });
    }
    return 0;
  },
});

const resume = command<{ readonly json?: true }>({
  name: 'resume',
  says: 'go on after a restore: bring every lock to what is wanted',
  settings: 'directory',
  options: [jsonOption],
  examples: [['access resume', 'after a look at access compare']],
  async run({ json }, { configured }) {
    const work = manageRunning(configured(), (ask) => ask<object>('POST /api/v1/access/resume'));
    const answer = await inWords({ listed: 'access compare' }, work);
    if (json) print(JSON.stringify(answer));
    else say('the locks are brought to what is wanted, each as soon as it is online');
    return 0;
  },
});

export const access: Group = {
  name: 'access',
  says: 'show who may open what, and who could; import and export it',
  commands: [who, compare, resume, importCommand, exportAccess],
};
