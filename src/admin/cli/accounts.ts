// latchd account: the accounts that may use the API.
import { invite, password } from './account-sign-in.ts';
import { command, type Group, type Option } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';

const accountsRoute = '/api/v1/gateway/accounts';

interface Given {
  readonly json?: true;
  readonly username: string;
  readonly administrator?: true;
  readonly accessManager?: true;
}

const words = { names: { username: '<username>' }, listed: 'account list' };

const accessManager: Option = { flag: '--access-manager', says: 'it may manage people, their credentials and grants' };

const create = command<Given>({
  name: 'create',
  says: 'make an account; it needs an invitation or a token, and a role on a lock, before it can do anything',
  settings: 'directory',
  arguments: [{ name: 'username', says: '1 to 64 letters, digits or . _ @ -' }],
  options: [
    { flag: '--administrator', says: 'it may register locks and manage accounts, too; that alone opens no door' },
    accessManager,
    jsonOption,
  ],
  examples: [['account create reception', 'then: latchd token create reception --name "front desk"']],
  async run({ username, administrator = false, accessManager = false, json }, { configured }) {
    const body = { username, gatewayAdministrator: administrator, accessManager };
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask(`POST ${accountsRoute}`, { body })),
    );
    say(
      `the account ${username} was made${administrator ? ', a gateway administrator' : ''}; "latchd account invite ${username}" lets a person in, "latchd token create ${username}" a program`,
    );
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export interface AccountView {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly accessManager: boolean;
  readonly createDate: number;
}

const list = command<Given>({
  name: 'list',
  says: 'show the accounts there are',
  settings: 'directory',
  options: [jsonOption],
  examples: [["account list --json | jq -r '.[] | select(.gatewayAdministrator) | .username'", 'who may manage accounts and locks']],
  async run({ json }, { configured }) {
    const accounts = await manage(configured(), (ask) => askForAll<AccountView>(ask, `GET ${accountsRoute}`));
    if (json) print(JSON.stringify(accounts));
    else {
      printTable(accounts, {
        account: ({ username }) => username,
        'gateway administrator': ({ gatewayAdministrator }) => (gatewayAdministrator ? 'yes' : 'no'),
        'access manager': ({ accessManager }) => (accessManager ? 'yes' : 'no'),
        made: ({ createDate }) => dateText(createDate),
      });
    }
    return 0;
  },
});

const rights = command<Given>({
  name: 'rights',
  says: 'give an account these rights, and no others; its roles on locks stay',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'see "latchd account list"' }],
  options: [
    { flag: '--administrator', says: 'it may register locks and manage accounts; that alone opens no door' },
    accessManager,
    jsonOption,
  ],
  examples: [['account rights reception --access-manager', 'it may give people cards for the locks on which it is a manager']],
  async run({ username, administrator = false, accessManager = false, json }, { configured }) {
    const body = { gatewayAdministrator: administrator, accessManager };
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask(`PUT ${accountsRoute}/{username}`, { parameters: { username }, body })),
    );
    const given = [...(administrator ? ['gateway administrator'] : []), ...(accessManager ? ['access manager'] : [])];
    say(`the account ${username} is ${given.length > 0 ? given.join(' and ') : 'neither gateway administrator nor access manager'} now`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

const revoke = command<Given>({
  name: 'revoke',
  says: 'end an account: its tokens and roles end with it, at once',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'see "latchd account list"' }],
  options: [jsonOption],
  examples: [['account revoke reception', 'when nobody works there any more; its programs are refused from then on']],
  async run({ username, json }, { configured }) {
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask(`DELETE ${accountsRoute}/{username}`, { parameters: { username } })),
    );
    say(`the account ${username} has ended, with its tokens and roles`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const accounts: Group = {
  name: 'account',
  says: 'make, show and end the accounts of the API',
  commands: [create, list, rights, password, invite, revoke],
};
