// latchd ttlock-login: with what programs log in that speak the API of TTLock's cloud. The running daemon has their sessions.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const loginsRoute = '/api/v1/gateway/ttlock-logins';
const loginArgument = { name: 'loginId', says: 'see "latchd ttlock-login list"', read: positiveInteger };

interface New {
  readonly json?: true;
  readonly username: string;
  readonly name?: string;
  readonly callback?: string;
}

const create = command<New>({
  name: 'create',
  says: 'let a program log in as an account, and print its client id, client secret and password, this once',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'the account that it acts as, and the user name that it logs in with' }],
  options: [
    { flag: '--name', value: '<name>', says: 'what it is for, to find it again' },
    { flag: '--callback', value: '<url>', says: 'where the records of its locks are sent, in the form of TTLock' },
    jsonOption,
  ],
  examples: [
    ['ttlock-login create alice --name "Home Assistant"', 'four lines to copy into the settings of the program'],
    ['ttlock-login create alice --json > login.json', 'the secrets alone go into the file'],
  ],
  async run({ username, name, callback, json }, { configured }) {
    const body = { username, ...(name !== undefined && { name }), ...(callback !== undefined && { callback }) };
    const words = { names: { username: '<username>', name: '--name', callback: '--callback' }, listed: 'account list' };
    const made = await inWords(
      words,
      manageRunning(configured(), (ask) =>
        ask<{ loginId: number; clientId: string; clientSecret: string; password: string }>(`POST ${loginsRoute}`, { body }),
      ),
    );
    say(`TTLock login ${made.loginId} of ${username}; its secrets are shown this once:`);
    if (json) print(JSON.stringify(made));
    else {
      print(`client id: ${made.clientId}`);
      print(`client secret: ${made.clientSecret}`);
      print(`user name: ${username}`);
      print(`password: ${made.password}`);
    }
    if (!configured().ttlock.enabled) say('ttlock.enabled is false in this configuration: with it, latchd serves no such program');
    return 0;
  },
});

interface TtlockLogin {
  readonly loginId: number;
  readonly username: string;
  readonly name: string;
  readonly clientId: string;
  readonly callback: string | null;
  readonly createDate: number;
  readonly lastUsed: number | null;
}

const list = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the TTLock logins there are, without their secrets',
  settings: 'directory',
  options: [jsonOption],
  examples: [['ttlock-login list', 'whose each is, and when it was used last: remove those that nobody uses']],
  async run({ json }, { configured }) {
    const logins = await manageRunning(configured(), (ask) => askForAll<TtlockLogin>(ask, `GET ${loginsRoute}`));
    if (json) print(JSON.stringify(logins));
    else if (logins.length === 0) say('there is no TTLock login: "latchd ttlock-login create" makes one');
    else {
      printTable(logins, {
        login: ({ loginId }) => loginId,
        account: ({ username }) => username,
        name: ({ name }) => name,
        'client id': ({ clientId }) => clientId,
        // People put keys into the query of a URL.
        callback: ({ callback }) => callback?.replace(/\?.*/, '?...') ?? '-',
        made: ({ createDate }) => dateText(createDate),
        used: ({ lastUsed }) => dateText(lastUsed),
      });
    }
    return 0;
  },
});

interface Given {
  readonly json?: true;
  readonly loginId: number;
}

const password = command<Given>({
  name: 'password',
  says: 'make a new password for a login and print it, this once; the old one and all its sessions end',
  settings: 'directory',
  arguments: [loginArgument],
  options: [jsonOption],
  examples: [['ttlock-login password 3', 'after somebody saw the old one: client id and client secret stay as they are']],
  async run({ loginId, json }, { configured }) {
    const parameters = { loginId: String(loginId) };
    const made = await inWords(
      { listed: 'ttlock-login list' },
      manageRunning(configured(), (ask) => ask<{ password: string }>(`POST ${loginsRoute}/{loginId}/password`, { parameters })),
    );
    say(`the new password of TTLock login ${loginId}; it is shown this once:`);
    print(json ? JSON.stringify(made) : made.password);
    return 0;
  },
});

const remove = command<Given>({
  name: 'remove',
  says: 'end a login with all its sessions: nothing of it opens a door from now on',
  settings: 'directory',
  arguments: [loginArgument],
  options: [jsonOption],
  examples: [['ttlock-login remove 3', 'after the program was taken down']],
  async run({ loginId, json }, { configured }) {
    const parameters = { loginId: String(loginId) };
    const answer = await inWords(
      { listed: 'ttlock-login list' },
      manageRunning(configured(), (ask) => ask(`DELETE ${loginsRoute}/{loginId}`, { parameters })),
    );
    say(`TTLock login ${loginId} has ended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const ttlockLogins: Group = {
  name: 'ttlock-login',
  says: "make, show and end the logins of programs that speak the API of TTLock's cloud",
  commands: [create, list, password, remove],
};
