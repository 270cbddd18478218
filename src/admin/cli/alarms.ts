// latchd alarm: the alarms that somebody should look at. Only the running daemon has them.
import { alarmKinds, endsByPerson } from '../../domain/alarms/alarm.ts';
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const alarmsRoute = '/api/v1/gateway/alarms';

interface Alarm {
  readonly kind: string;
  readonly lockId: number | null;
  readonly since: number;
  readonly reason: string;
  readonly endsByItself: boolean;
}

const list = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the alarms that stand, the newest first',
  settings: 'directory',
  options: [jsonOption],
  examples: [['alarm list', 'systemd/README.md says of each kind what to do']],
  async run({ json }, { configured }) {
    const alarms = await manageRunning(configured(), (ask) => askForAll<Alarm>(ask, `GET ${alarmsRoute}`));
    if (json) print(JSON.stringify(alarms));
    else if (alarms.length === 0) say('no alarm stands');
    else {
      printTable(alarms, {
        alarm: ({ kind }) => kind,
        lock: ({ lockId }) => lockId ?? '-',
        since: ({ since }) => dateText(since),
        ends: ({ endsByItself }) => (endsByItself ? 'by itself' : 'by "latchd alarm end"'),
        reason: ({ reason }) => reason,
      });
    }
    return 0;
  },
});

const end = command<{ readonly json?: true; readonly kind: string; readonly lockId: number }>({
  name: 'end',
  says: 'end an alarm that waits for a person, once somebody has seen to it',
  settings: 'directory',
  arguments: [
    {
      name: 'kind',
      says: 'see "latchd alarm list"; the others end when their cause is gone',
      choices: alarmKinds.filter(endsByPerson),
    },
    { name: 'lockId', says: 'the lock that it is of', read: positiveInteger },
  ],
  options: [jsonOption],
  examples: [['alarm end tampered 7', 'somebody was there and looked at lock 7']],
  async run({ kind, lockId, json }, { configured }) {
    const parameters = { kind, lockId: String(lockId) };
    const work = manageRunning(configured(), (ask) => ask(`DELETE ${alarmsRoute}/{kind}/{lockId}`, { parameters }));
    const answer = await inWords({ listed: 'alarm list' }, work);
    say(`the alarm ${kind} of lock ${lockId} has ended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const alarms: Group = {
  name: 'alarm',
  says: 'show what somebody should look at, and end it when that was done',
  commands: [list, end],
};
