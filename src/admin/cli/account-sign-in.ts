// latchd account password, latchd account invite: how people get in to the console, also when nobody can any more.
import { qrText } from '../../platform/qr-code.ts';
import { command } from './command.ts';
import { inWords, manage, manageRunning } from './management.ts';
import { dateText, jsonOption, output, print, say } from './output.ts';
import { typedSecret } from './typed-secret.ts';
import { positiveInteger } from './values.ts';

interface Given {
  readonly json?: true;
  readonly username: string;
  readonly hours?: number;
}

const listed = 'account list';

export const password = command<Given>({
  name: 'password',
  says: 'set the password of an account; its browsers have to sign in again',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'see "latchd account list"' }],
  options: [jsonOption],
  examples: [
    ['account password admin', 'asks twice, and shows nothing of it'],
    ['account password admin < /root/password', 'the first line of the file'],
  ],
  async run({ username, json }, { configured }) {
    const given = await typedSecret('password');
    const answer = await inWords(
      { names: { username: '<username>', password: 'the password' }, listed },
      manage(configured(), (ask) => ask('set-password', { body: { username, password: given } })),
    );
    say(`the account ${username} has this password from now on; its sessions have ended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

interface Invitation {
  readonly url: string;
  readonly qr: string;
  readonly expiresDate: number;
}

export const invite = command<Given>({
  name: 'invite',
  says: 'print a link, and its QR code, with which somebody chooses the password of an account, once',
  settings: 'directory',
  arguments: [{ name: 'username', says: 'see "latchd account list"' }],
  options: [
    { flag: '--hours', value: '<hours>', says: 'how long it is valid, 1 to 168; 24 without it', read: positiveInteger },
    jsonOption,
  ],
  examples: [['account invite reception', 'an earlier link for this account is worth nothing from then on']],
  async run({ username, hours, json }, { configured }) {
    const body = hours === undefined ? {} : { expiresInHours: hours };
    const answer = await inWords(
      { names: { username: '<username>', expiresInHours: '--hours' }, listed },
      manageRunning(configured(), (ask) =>
        ask<Invitation>('POST /api/v1/gateway/accounts/{username}/invitation', { parameters: { username }, body }),
      ),
    );
    say(`whoever opens this link chooses the password of ${username}, once, until ${dateText(answer.expiresDate)}; it is shown this once:`);
    if (json) print(JSON.stringify(answer));
    else printLink(answer.url);
    return 0;
  },
});

/** The link for programs; on a terminal its QR code, too. */
export function printLink(url: string): void {
  print(url);
  if (process.stdout.isTTY) output().write(`\n${qrText(url)}\n`);
}
