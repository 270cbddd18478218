// latchd grant and latchd schedule: who may open which locks, and the hours of the week at which grants hold.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const base = '/api/v1/access';

interface GrantRow {
  readonly grantId: number;
  readonly personId: number;
  readonly name: string;
  readonly lockIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly endDate: number;
  readonly scheduleId: number | null;
}

const list = command<{ readonly json?: true; readonly lock?: number; readonly group?: number }>({
  name: 'list',
  says: 'show the grants, of all people or of those of a lock or group',
  settings: 'directory',
  options: [
    { flag: '--lock', value: '<lockId>', says: 'those that name this lock or its group', read: positiveInteger },
    { flag: '--group', value: '<groupId>', says: 'those that name this group', read: positiveInteger },
    jsonOption,
  ],
  examples: [['grant list --lock 7', 'who may open lock 7?']],
  async run({ lock, group, json }, { configured }) {
    const parameters = { ...(lock !== undefined && { lockId: String(lock) }), ...(group !== undefined && { groupId: String(group) }) };
    const grants = await inWords(
      { listed: 'lock list' },
      manageRunning(configured(), (ask) => askForAll<GrantRow>(ask, `GET ${base}/grants`, parameters)),
    );
    if (json) print(JSON.stringify(grants));
    else if (grants.length === 0) say('there is no grant');
    else {
      printTable(grants, {
        grant: ({ grantId }) => grantId,
        person: ({ personId, name }) => `${personId} ${name}`,
        locks: ({ lockIds }) => lockIds.join(' '),
        groups: ({ groupIds }) => groupIds.join(' '),
        schedule: ({ scheduleId }) => scheduleId ?? '',
        until: ({ endDate }) => (endDate === 0 ? '' : dateText(endDate)),
      });
    }
    return 0;
  },
});

const end = command<{ readonly json?: true; readonly grantId: number }>({
  name: 'end',
  says: 'end a grant; what other grants give stays',
  settings: 'directory',
  arguments: [{ name: 'grantId', says: 'see "latchd grant list"', read: positiveInteger }],
  options: [jsonOption],
  examples: [['grant end 12', 'locks that are away follow when they are back']],
  async run({ grantId, json }, { configured }) {
    const parameters = { grantId: String(grantId) };
    const answer = await inWords(
      { listed: 'grant list' },
      manageRunning(configured(), (ask) => ask(`DELETE ${base}/grants/{grantId}`, { parameters })),
    );
    say(`grant ${grantId} has ended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

interface ScheduleRow {
  readonly scheduleId: number;
  readonly name: string;
  readonly hours: readonly { readonly days: readonly number[]; readonly from: number; readonly to: number }[];
}

const dayNames = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'holiday'];

function timeText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

const listSchedules = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the schedules of the week',
  settings: 'directory',
  options: [jsonOption],
  examples: [['schedule list', 'the hours at which grants hold']],
  async run({ json }, { configured }) {
    const schedules = await manageRunning(configured(), (ask) => askForAll<ScheduleRow>(ask, `GET ${base}/schedules`));
    if (json) print(JSON.stringify(schedules));
    else if (schedules.length === 0) say('there is no schedule');
    else {
      printTable(schedules, {
        schedule: ({ scheduleId }) => scheduleId,
        name: ({ name }) => name,
        hours: ({ hours }) =>
          hours.map(({ days, from, to }) => `${days.map((day) => dayNames[day]).join(' ')} ${timeText(from)}-${timeText(to)}`).join('; '),
      });
    }
    return 0;
  },
});

export const grants: Group = { name: 'grant', says: 'show who may open which locks, and end it', commands: [list, end] };
export const schedules: Group = { name: 'schedule', says: 'show the hours of the week at which grants hold', commands: [listSchedules] };
