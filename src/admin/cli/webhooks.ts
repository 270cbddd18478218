// latchd webhook: the programs that get events, of all accounts. Only the running daemon sends any.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const webhooksRoute = '/api/v1/gateway/webhooks';
const words = { listed: 'webhook list' };
const webhookArgument = { name: 'webhookId', says: 'see "latchd webhook list"', read: positiveInteger };

interface Given {
  readonly json?: true;
  readonly webhookId: number;
}

interface Webhook {
  readonly webhookId: number;
  readonly username: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly waiting: number;
  readonly failed: number;
  readonly failingSince: number | null;
}

const list = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the webhooks of all accounts, and whether their receivers take what they are sent',
  settings: 'directory',
  options: [jsonOption],
  examples: [["webhook list --json | jq '.[] | select(.failingSince != null)'", 'those whose receiver does not answer as it should']],
  async run({ json }, { configured }) {
    const webhooks = await manageRunning(configured(), (ask) => askForAll<Webhook>(ask, `GET ${webhooksRoute}`));
    if (json) print(JSON.stringify(webhooks));
    else if (webhooks.length === 0) say('there is no webhook: accounts make them with the API, or in the console');
    else {
      printTable(webhooks, {
        webhook: ({ webhookId }) => webhookId,
        account: ({ username }) => username,
        name: ({ name }) => name,
        // People put keys into the query of a URL.
        url: ({ url }) => url.replace(/\?.*/, '?...'),
        state: ({ enabled, failingSince }) =>
          enabled ? (failingSince === null ? 'works' : `fails since ${dateText(failingSince)}`) : 'switched off',
        waiting: ({ waiting }) => waiting,
        failed: ({ failed }) => failed,
      });
    }
    return 0;
  },
});

const remove = command<Given>({
  name: 'remove',
  says: 'end a webhook, whoever made it: nothing more is sent',
  settings: 'directory',
  arguments: [webhookArgument],
  options: [jsonOption],
  examples: [['webhook remove 3', 'after its receiver was taken down']],
  async run({ webhookId, json }, { configured }) {
    const parameters = { webhookId: String(webhookId) };
    const answer = await inWords(
      words,
      manageRunning(configured(), (ask) => ask(`DELETE ${webhooksRoute}/{webhookId}`, { parameters })),
    );
    say(`webhook ${webhookId} has ended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

interface Attempt {
  readonly delivered: boolean;
  readonly status: number;
  readonly reason: string;
  readonly ms: number;
}

const test = command<Given>({
  name: 'test',
  says: 'send an event of the type test to the receiver, once, whether the webhook is switched on or not; it tells nothing',
  settings: 'directory',
  arguments: [webhookArgument],
  options: [jsonOption],
  examples: [['webhook test 3', 'does its receiver answer?']],
  exits: [
    [0, 'the receiver took it'],
    [1, 'it did not, and standard error says why; or the command was asked wrongly'],
  ],
  async run({ webhookId, json }, { configured }) {
    const parameters = { webhookId: String(webhookId) };
    const attempt = await inWords(
      words,
      manageRunning(configured(), (ask) => ask<Attempt>(`POST ${webhooksRoute}/{webhookId}/test`, { parameters })),
    );
    const { delivered, status, reason, ms } = attempt;
    say(delivered ? `the receiver took it with ${status}, in ${ms} ms` : `the receiver did not take it: ${reason}`);
    if (json) print(JSON.stringify(attempt));
    return delivered ? 0 : 1;
  },
});

export const webhooks: Group = {
  name: 'webhook',
  says: 'show what sends events to other programs, try it, end it',
  commands: [list, test, remove],
};
