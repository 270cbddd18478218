// latchd lock: the locks of this gateway, and the keys with which they log in.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manage } from './management.ts';
import { type NewLockOptions, newLockBody, newLockNames, newLockOptions, onlyAdministrator } from './new-lock.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const locksRoute = '/api/v1/gateway/locks';

interface IssuedKey {
  readonly lockId: number;
  readonly deviceId: string;
  readonly deviceKey: string;
}

interface Registration extends NewLockOptions {
  readonly json?: true;
  readonly mac: string;
  readonly name: string;
  readonly hub?: string;
}

const register = command<Registration>({
  name: 'register',
  says: 'register a lock and print its device key, this once',
  settings: 'directory',
  arguments: [{ name: 'mac', says: 'its MAC address, such as A4:C1:38:7F:02:E9' }],
  options: [
    { flag: '--name', value: '<name>', says: 'what it is called', required: true },
    ...newLockOptions,
    { flag: '--hub', value: '<hub>', says: 'the hub that speaks for it (deviceId or MAC address)' },
    jsonOption,
  ],
  examples: [
    [
      'lock register A4:C1:38:7F:02:E9 --name "Front door"',
      'the key is the MQTT password of the lock; its MQTT user name and lockId are told, too',
    ],
    ['lock register a4c1387f02ea --name Archive --hub a4c1387f02f0', 'a lock that a hub speaks for'],
  ],
  async run({ mac, hub, json, ...described }, { configured }) {
    const { administrator } = described;
    const names = { ...newLockNames, lockMac: '<mac>', hubId: '--hub' };
    const work = manage(configured(), async (ask) => {
      const chosen = administrator ?? (await onlyAdministrator(ask));
      const body = { lockMac: mac, ...(hub !== undefined && { hubId: hub }), ...newLockBody({ ...described, administrator: chosen }) };
      return { chosen, key: await ask<IssuedKey>(`POST ${locksRoute}`, { body }) };
    });
    const { chosen, key } = await inWords({ names, listed: administrator === undefined ? 'hub list' : 'account list' }, work);
    say(`lock ${key.lockId} was registered, its administrator is ${chosen}; it logs in as ${key.deviceId} with this key, shown this once:`);
    print(json ? JSON.stringify(key) : key.deviceKey);
    return 0;
  },
});

interface Lock {
  readonly lockId: number;
  readonly lockMac: string;
  readonly lockName: string;
  readonly groupName: string;
  readonly electricQuantity: number;
  readonly online: boolean;
  readonly lastSeen: number | null;
  readonly hubId: string | null;
  readonly administrator: string;
}

const list = command<{ readonly json?: true }>({
  name: 'list',
  says: 'show the locks there are, and whether they are online',
  settings: 'directory',
  options: [jsonOption],
  examples: [["lock list --json | jq -r '.[] | select(.online | not) | .lockName'", 'the names of those that are offline']],
  async run({ json }, { configured }) {
    const locks = await manage(configured(), (ask) => askForAll<Lock>(ask, `GET ${locksRoute}`));
    if (json) print(JSON.stringify(locks));
    else {
      printTable(locks, {
        lock: ({ lockId }) => lockId,
        name: ({ lockName }) => lockName,
        'MAC address': ({ lockMac }) => lockMac,
        online: ({ online }) => (online ? 'yes' : 'no'),
        'last seen': ({ lastSeen }) => dateText(lastSeen),
        battery: ({ electricQuantity }) => (electricQuantity < 0 ? '?' : `${electricQuantity} %`),
        hub: ({ hubId }) => hubId ?? '-',
        group: ({ groupName }) => groupName || '-',
        administrator: ({ administrator }) => administrator,
      });
    }
    return 0;
  },
});

const key = command<{ readonly json?: true; readonly lockId: number }>({
  name: 'key',
  says: 'make a new device key for a lock and print it, this once; the old one and its connection end at once',
  settings: 'directory',
  arguments: [{ name: 'lockId', says: 'see "latchd lock list"', read: positiveInteger }],
  options: [jsonOption],
  examples: [['lock key 7', 'after the key of lock 7 was lost or seen by somebody']],
  async run({ lockId, json }, { configured }) {
    const request = { parameters: { lockId: String(lockId) } };
    const issued = await inWords(
      { listed: 'lock list' },
      manage(configured(), (ask) => ask<IssuedKey>(`POST ${locksRoute}/{lockId}/key`, request)),
    );
    say(`lock ${lockId} logs in as ${issued.deviceId} with this key from now on, shown this once:`);
    print(json ? JSON.stringify(issued) : issued.deviceKey);
    return 0;
  },
});

const remove = command<{ readonly clear?: true; readonly json?: true; readonly lockId: number }>({
  name: 'remove',
  says: 'remove a lock: its key, its roles and its cards here end at once, its records stay; what the lock holds itself still opens it',
  settings: 'directory',
  arguments: [{ name: 'lockId', says: 'see "latchd lock list"', read: positiveInteger }],
  options: [
    { flag: '--clear', says: 'have the lock remove all its cards first; when it is offline or does not, it stays registered' },
    jsonOption,
  ],
  examples: [
    ['lock remove 7 --clear', 'lock 7 is taken off its door, and opens for no card any more; its number is never given again'],
    ['lock remove 7', 'the same of a lock that is broken or away; the answer says for how many cards it may still open'],
  ],
  async run({ lockId, clear, json }, { configured }) {
    const request = { parameters: { lockId: String(lockId), ...(clear && { clear: 'true' }) } };
    const work = manage(configured(), (ask) => ask<{ readonly cardsOnLock: number | null }>(`DELETE ${locksRoute}/{lockId}`, request));
    const answer = await inWords({ listed: 'lock list' }, work);
    say(`lock ${lockId} was removed, and is refused from now on; ${stillOpens(answer.cardsOnLock)}`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

function stillOpens(cardsOnLock: number | null): string {
  if (cardsOnLock === null) return 'whether it holds cards for which it still opens is not known';
  return cardsOnLock === 0 ? 'it holds no cards' : `it may still open for ${cardsOnLock} of its cards`;
}

export const locks: Group = {
  name: 'lock',
  says: 'register locks, show them, make new keys for them, remove them',
  commands: [register, list, key, remove],
};
