// latchd account: the accounts that may use the API.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';

const accountsRoute = '/api/v1/gateway/accounts';

interface Given {
  readonly json?: true;
  readonly username: string;
  readonly administrator?: true;
}

const words = { names: { username: '<username>' }, listed: 'account list' };

const create = command<Given>({
  name: 'create',
  says: 'make an account; it needs a token and a role on a lock before it can do anything',
  settings: 'directory',
  arguments: [{ name: 'username', says: '1 to 64 letters, digits or . _ @ -' }],
  options: [{ flag: '--administrator', says: 'it may register locks and manage accounts, too; that alone opens no door' }, jsonOption],
  examples: [['account create reception', 'then: latchd token create reception --name "front desk"']],
  async run({ username, administrator = false, json }, { configured }) {
    const body = { username, gatewayAdministrator: administrator };
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask(`POST ${accountsRoute}`, { body })),
    );
    say(
      `the account ${username} was made${administrator ? ', a gateway administrator' : ''}; "latchd token create ${username}" lets it in`,
    );
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export interface AccountView {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
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
        made: ({ createDate }) => dateText(createDate),
      });
    }
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

export const accounts: Group = { name: 'account', says: 'make, show and end the accounts of the API', commands: [create, list, revoke] };
