// latchd lock: the locks of this gateway, and the keys with which they log in.
import { command, type Group } from './command.ts';
import { type DriverFlags, driverBody, driverNames, driverOptions } from './driver-option.ts';
import { askForAll, inWords, manage, manageRunning } from './management.ts';
import { type NewLockOptions, newLockBody, newLockNames, newLockOptions, onlyAdministrator } from './new-lock.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const locksRoute = '/api/v1/gateway/locks';

/** Of our own locks `deviceKey`, of those of another make `mqtt`; over a bridge neither. */
interface IssuedKey {
  readonly lockId: number;
  readonly deviceId: string;
  readonly deviceKey?: string;
  readonly mqtt?: MqttLogin;
}

interface MqttLogin {
  readonly host: string;
  readonly port: number | null;
  readonly tlsPort: number | null;
  readonly username: string;
  readonly password: string;
}

interface Registration extends NewLockOptions, DriverFlags {
  readonly json?: true;
  readonly mac?: string;
  readonly name: string;
  readonly hub?: string;
}

const register = command<Registration>({
  name: 'register',
  says: 'register a lock and print its device key, or the login of one of another make, this once',
  settings: 'directory',
  arguments: [{ name: 'mac', says: 'its MAC address, such as A4:C1:38:7F:02:E9', optional: true }],
  options: [
    { flag: '--name', value: '<name>', says: 'what it is called', required: true },
    ...newLockOptions,
    ...driverOptions,
    { flag: '--hub', value: '<hub>', says: 'the hub that speaks for it (deviceId or MAC address)' },
    jsonOption,
  ],
  examples: [
    [
      'lock register A4:C1:38:7F:02:E9 --name "Front door"',
      'the key is the MQTT password of the lock; its MQTT user name and lockId are told, too',
    ],
    ['lock register a4c1387f02ea --name Archive --hub a4c1387f02f0', 'a lock that a hub speaks for'],
    [
      'lock register --driver nuki:2BB28570 --set unlock=unlatch --name Attic',
      'a lock of another make, by the running daemon: host, port, user name and password are for its app',
    ],
  ],
  async run({ mac, hub, json, driver: given, set, ...described }, { configured }) {
    const { administrator } = described;
    const options = { ...(given && { driver: given }), ...(set && { set }) };
    const driver = driverBody(options);
    const names = { ...newLockNames, ...driverNames(options), lockMac: '<mac>', hubId: '--hub' };
    // Only the daemon knows the drivers, and where their locks log in.
    const through = driver === undefined ? manage : manageRunning;
    const work = through(configured(), async (ask) => {
      const chosen = administrator ?? (await onlyAdministrator(ask));
      const device = { ...(mac !== undefined && { lockMac: mac }), ...(hub !== undefined && { hubId: hub }), ...(driver && { driver }) };
      const body = { ...device, ...newLockBody({ ...described, administrator: chosen }) };
      return { chosen, key: await ask<IssuedKey>(`POST ${locksRoute}`, { body }) };
    });
    const { chosen, key } = await inWords({ names, listed: administrator === undefined ? 'hub list' : 'account list' }, work);
    tell(`lock ${key.lockId} was registered, its administrator is ${chosen}`, key, json);
    return 0;
  },
});

/** The key or login, for whoever puts it into the lock, behind what was done. */
function tell(what: string, key: IssuedKey, json: true | undefined): void {
  const { deviceId, deviceKey, mqtt } = key;
  if (mqtt !== undefined) say(`${what}; type this into the MQTT settings of the device, shown this once:`);
  else if (deviceKey !== undefined) say(`${what}; it logs in as ${deviceId} with this key, shown this once:`);
  else say(`${what}; it is spoken to over its bridge, and logs in nowhere`);
  if (json) print(JSON.stringify(key));
  else if (mqtt !== undefined) printLogin(mqtt);
  else if (deviceKey !== undefined) print(deviceKey);
}

function printLogin({ host, port, tlsPort, username, password }: MqttLogin): void {
  const ports = [...(port === null ? [] : [`port       ${port}`]), ...(tlsPort === null ? [] : [`TLS port   ${tlsPort}`])];
  for (const line of [`host       ${host}`, ...ports, `user name  ${username}`, `password   ${password}`]) print(line);
}

interface Lock {
  readonly lockId: number;
  readonly lockMac: string;
  readonly lockName: string;
  readonly groupName: string;
  readonly electricQuantity: number;
  readonly online: boolean;
  readonly lastSeen: number | null;
  readonly hubId: string | null;
  readonly driver: { readonly kind: string } | null;
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
        make: ({ driver }) => driver?.kind ?? '-',
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
  says: 'make a new device key or login for a lock and print it, this once; the old one and its connection end at once',
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
    tell(`the old one of lock ${lockId} has ended`, issued, json);
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
