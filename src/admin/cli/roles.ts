// latchd role: who may do what at which door.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const rolesRoute = '/api/v1/gateway/locks/{lockId}/roles';
const lockArgument = { name: 'lockId', says: 'see "latchd lock list"', read: positiveInteger };
const userArgument = { name: 'username', says: 'see "latchd account list"' };

interface Given {
  readonly json?: true;
  readonly lockId: number;
  readonly username: string;
  readonly role: string;
}

interface Granted {
  readonly username: string;
  readonly role: string;
}

const list = command<Given>({
  name: 'list',
  says: 'show who has a role on a lock: its administrator first, then managers and operators',
  settings: 'directory',
  arguments: [lockArgument],
  options: [jsonOption],
  examples: [['role list 7', 'who can open lock 7 by the API']],
  async run({ lockId, json }, { configured }) {
    const work = manage(configured(), (ask) => askForAll<Granted>(ask, `GET ${rolesRoute}`, { lockId: String(lockId) }));
    const roles = await inWords({ listed: 'lock list' }, work);
    if (json) print(JSON.stringify(roles));
    else printTable(roles, { account: ({ username }) => username, role: ({ role }) => role });
    return 0;
  },
});

const grant = command<Given>({
  name: 'grant',
  says: 'give an account a role on a lock, in place of the one that it has',
  settings: 'directory',
  arguments: [
    lockArgument,
    userArgument,
    { name: 'role', says: 'operator: opens and locks; manager: cards, records and settings, too', choices: ['operator', 'manager'] },
  ],
  options: [jsonOption],
  examples: [['role grant 7 reception operator', 'reception may open lock 7 from now on']],
  async run({ lockId, username, role, json }, { configured }) {
    const request = { parameters: { lockId: String(lockId), username }, body: { role } };
    const work = manage(configured(), (ask) => ask(`PUT ${rolesRoute}/{username}`, request));
    const answer = await inWords({ names: { username: '<username>' }, listed: 'account list' }, work);
    say(`${username} is ${role} of lock ${lockId} from now on`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

const revoke = command<Given>({
  name: 'revoke',
  says: 'take the role of an account on a lock away, at once',
  settings: 'directory',
  arguments: [lockArgument, { ...userArgument, says: 'see "latchd role list"' }],
  options: [jsonOption],
  examples: [['role revoke 7 reception', 'reception cannot open lock 7 any more; cards and passcodes are another matter']],
  async run({ lockId, username, json }, { configured }) {
    const parameters = { lockId: String(lockId), username };
    const work = manage(configured(), (ask) => ask(`DELETE ${rolesRoute}/{username}`, { parameters }));
    const answer = await inWords({ names: { username: '<username>' }, listed: `role list ${lockId}` }, work);
    say(`${username} has no role on lock ${lockId} any more`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const roles: Group = {
  name: 'role',
  says: 'show, give and take away what accounts may do at a lock',
  commands: [list, grant, revoke],
};
