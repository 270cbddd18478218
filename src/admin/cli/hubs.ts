// latchd hub: the hubs that connect locks to this gateway, and the keys with which they log in.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';

const hubsRoute = '/api/v1/gateway/hubs';
const words = { names: { mac: '<mac>', name: '--name', deviceId: '<hub>' }, listed: 'hub list' };
const hubArgument = { name: 'hub', says: 'its MAC address or deviceId, see "latchd hub list"' };

interface Given {
  readonly json?: true;
  readonly hub: string;
}

interface IssuedKey {
  readonly deviceId: string;
  readonly deviceKey: string;
}

const register = command<{ readonly json?: true; readonly mac: string; readonly name: string }>({
  name: 'register',
  says: 'register a hub and print its device key, this once',
  settings: 'directory',
  arguments: [{ name: 'mac', says: 'its MAC address, such as A4:C1:38:7F:02:F0' }],
  options: [{ flag: '--name', value: '<name>', says: 'where it is', required: true }, jsonOption],
  examples: [
    ['hub register A4:C1:38:7F:02:F0 --name Stairwell', 'the key is the MQTT password of the hub; its MQTT user name is told, too'],
    ['lock register A4:C1:38:7F:02:EA --name Archive --hub A4:C1:38:7F:02:F0', 'afterwards: a lock that it speaks for'],
  ],
  async run({ mac, name, json }, { configured }) {
    const key = await inWords(
      words,
      manage(configured(), (ask) => ask<IssuedKey>(`POST ${hubsRoute}`, { body: { mac, name } })),
    );
    say(`the hub was registered; it logs in as ${key.deviceId} with this key, shown this once:`);
    print(json ? JSON.stringify(key) : key.deviceKey);
    return 0;
  },
});

interface Hub {
  readonly deviceId: string;
  readonly mac: string;
  readonly name: string;
  readonly online: boolean;
  readonly locks: number;
  readonly date: number;
}

const list = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the hubs there are, whether they are online, and for how many locks each speaks',
  settings: 'directory',
  options: [jsonOption],
  examples: [["hub list --json | jq -r '.[] | select(.online | not) | .name'", 'the names of those that are offline']],
  async run({ json }, { configured }) {
    const hubs = await manage(configured(), (ask) => askForAll<Hub>(ask, `GET ${hubsRoute}`));
    if (json) print(JSON.stringify(hubs));
    else {
      printTable(hubs, {
        hub: ({ deviceId }) => deviceId,
        name: ({ name }) => name,
        'MAC address': ({ mac }) => mac,
        online: ({ online }) => (online ? 'yes' : 'no'),
        locks: ({ locks }) => locks,
        registered: ({ date }) => dateText(date),
      });
    }
    return 0;
  },
});

const key = command<Given>({
  name: 'key',
  says: 'make a new device key for a hub and print it, this once; the old one ends at once, and its locks are offline until it is back',
  settings: 'directory',
  arguments: [hubArgument],
  options: [jsonOption],
  examples: [['hub key a4c1387f02f0', 'after the key of the hub was lost or seen by somebody']],
  async run({ hub, json }, { configured }) {
    const issued = await inWords(
      words,
      manage(configured(), (ask) => ask<IssuedKey>(`POST ${hubsRoute}/{deviceId}/key`, { parameters: { deviceId: hub } })),
    );
    say(`the hub logs in as ${issued.deviceId} with this key from now on, shown this once:`);
    print(json ? JSON.stringify(issued) : issued.deviceKey);
    return 0;
  },
});

const remove = command<Given>({
  name: 'remove',
  says: 'end a hub: it is refused from now on; not while locks are bound to it',
  settings: 'directory',
  arguments: [hubArgument],
  options: [jsonOption],
  examples: [['hub remove a4c1387f02f0', 'after it was taken down']],
  async run({ hub, json }, { configured }) {
    const answer = await inWords(
      words,
      manage(configured(), (ask) => ask(`DELETE ${hubsRoute}/{deviceId}`, { parameters: { deviceId: hub } })),
    );
    say(`the hub ${hub} is refused from now on`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const hubs: Group = {
  name: 'hub',
  says: 'register the hubs that speak for locks, show them, make new keys for them, end them',
  commands: [register, list, key, remove],
};
