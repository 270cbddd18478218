// latchd token: the tokens with which programs of an account log in.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { counted, dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const tokensRoute = '/api/v1/gateway/tokens';

interface Given {
  readonly json?: true;
  readonly username: string;
  readonly name: string;
  readonly days?: number;
  readonly tokenId: number;
}

const create = command<Given>({
  name: 'create',
  says: 'make a token for an account and print it, this once',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'whose it is: what the account may do, the token may do' }],
  options: [
    { flag: '--name', value: '<name>', says: 'where it will be used, to find it again', required: true },
    { flag: '--days', value: '<days>', says: 'how long it is valid, 1 to 3650; without it, for ever', read: positiveInteger },
    jsonOption,
  ],
  examples: [
    ['token create reception --name "front desk" --days 365', 'for a year'],
    ['token create admin --name backup-script > /root/latchd.token', 'the token alone goes into the file, the explanation to the terminal'],
  ],
  async run({ username, name, days, json }, { configured }) {
    const body = { username, name, ...(days === undefined ? {} : { expiresInDays: days }) };
    const words = { names: { username: '<username>', name: '--name', expiresInDays: '--days' }, listed: 'account list' };
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask<{ tokenId: number; token: string }>(`POST ${tokensRoute}`, { body })),
    );
    say(`token ${answer.tokenId} of ${username}${days === undefined ? '' : `, for ${counted(days, 'day')}`}; it is shown this once:`);
    print(json ? JSON.stringify(answer) : answer.token);
    return 0;
  },
});

interface Token {
  readonly tokenId: number;
  readonly kind: string;
  readonly username: string;
  readonly name: string;
  readonly createDate: number;
  readonly expireDate: number | null;
}

const list = command<Given>({
  name: 'list',
  says: 'show the tokens there are, without their secrets',
  settings: 'directory',
  options: [jsonOption],
  examples: [['token list', 'which there are, and when each ends: revoke those that nobody uses']],
  async run({ json }, { configured }) {
    const tokens = await manage(configured(), (ask) => askForAll<Token>(ask, `GET ${tokensRoute}`));
    if (json) print(JSON.stringify(tokens));
    else {
      printTable(tokens, {
        token: ({ tokenId }) => tokenId,
        account: ({ username }) => username,
        name: ({ name }) => name,
        kind: ({ kind }) => kind,
        made: ({ createDate }) => dateText(createDate),
        ends: ({ expireDate }) => dateText(expireDate),
      });
    }
    return 0;
  },
});

const revoke = command<Given>({
  name: 'revoke',
  says: 'end a token: it is refused from now on',
  settings: 'directory',
  arguments: [{ name: 'tokenId', says: 'its number, see "latchd token list"', read: positiveInteger }],
  options: [jsonOption],
  examples: [['token revoke 12', 'after a phone was lost']],
  async run({ tokenId, json }, { configured }) {
    const parameters = { tokenId: String(tokenId) };
    const answer = await inWords(
      { listed: 'token list' },
      manage(configured(), (ask) => ask(`DELETE ${tokensRoute}/{tokenId}`, { parameters })),
    );
    say(`token ${tokenId} is refused from now on`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const tokens: Group = {
  name: 'token',
  says: 'make, show and end the tokens that programs log in with',
  commands: [create, list, revoke],
};
