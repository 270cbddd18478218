// latchd pair: devices that made their own key, and those that a bridge announces, wait until somebody confirms them as locks. Only the
// running daemon knows them.
import { command, type Group } from './command.ts';
import { type Ask, askForAll, inWords, manageRunning } from './management.ts';
import { type NewLockOptions, newLockBody, newLockNames, newLockOptions, onlyAdministrator } from './new-lock.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const gateway = '/api/v1/gateway';

interface Given {
  readonly json?: true;
}

const open = command<Given & { readonly seconds: number }>({
  name: 'open',
  says: 'let devices that nobody knows wait to be confirmed, for a while; the running daemon does it',
  settings: 'directory',
  options: [
    { flag: '--seconds', value: '<seconds>', says: 'for how long, 30 to 900', otherwise: '300', read: positiveInteger },
    jsonOption,
  ],
  examples: [
    ['pair open', 'for five minutes: power the lock on, then "latchd pair list"'],
    ['pair open --seconds 900', 'for a quarter of an hour; said again, the time begins anew'],
  ],
  async run({ seconds, json }, { configured }) {
    const answer = await inWords(
      { names: { seconds: '--seconds' }, listed: 'pair list' },
      manageRunning(configured(), (ask) => ask<{ closeDate: number }>(`POST ${gateway}/pairing`, { body: { seconds } })),
    );
    say(`pairing is open for ${seconds} s: power the lock on; "latchd pair list" shows who waits`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

const close = command<Given>({
  name: 'close',
  says: 'let nobody wait any more, and forget who was not confirmed; it closes by itself, too',
  settings: 'directory',
  options: [jsonOption],
  examples: [['pair close', 'when the last lock is in, or when somebody waits who should not']],
  async run({ json }, { configured }) {
    const answer = await manageRunning(configured(), (ask) => ask(`DELETE ${gateway}/pairing`));
    say('pairing is closed; who was not confirmed is forgotten');
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

interface Device {
  readonly lockMac: string;
  readonly address: string;
  readonly keyFingerprint: string | null;
  readonly since: number;
  readonly connected: boolean;
  readonly contested: boolean;
  readonly hello: { readonly modelNum: string } | null;
  /** null, as the members below it: it waits itself, and no bridge announces it. */
  readonly driver: object | null;
  readonly name: string | null;
  readonly make: string | null;
  readonly model: string | null;
  readonly refused: string | null;
  readonly replaces: { readonly lockId: number; readonly lockName: string; readonly online: boolean } | null;
}

interface Bridge {
  readonly name: string;
  readonly connected: boolean;
  readonly reason: string;
}

const list = command<Given>({
  name: 'list',
  says: 'show who waits to be confirmed, each with the fingerprint of its key, and what bridges announce',
  settings: 'directory',
  options: [jsonOption],
  examples: [['pair list', 'compare each fingerprint, all 16 digits, with what the lock or its app shows, then "latchd pair confirm"']],
  async run({ json }, { configured }) {
    const { devices, bridges, isOpen } = await manageRunning(configured(), async (ask) => ({
      isOpen: (await ask<{ pairingOpen: boolean }>(`GET ${gateway}/status`)).pairingOpen,
      devices: await askForAll<Device>(ask, `GET ${gateway}/devices`),
      bridges: await askForAll<Bridge>(ask, `GET ${gateway}/bridges`),
    }));
    if (json) print(JSON.stringify(devices));
    else if (devices.length === 0) {
      say(isOpen ? 'nobody waits yet' : 'pairing is closed: "latchd pair open" opens it');
      if (bridges.length > 0) say('no bridge announces a lock that is not registered yet; for those the pairing may stay closed');
    } else {
      printTable(devices, {
        device: ({ lockMac }) => lockMac,
        fingerprint: ({ keyFingerprint }) => keyFingerprint ?? '-',
        name: ({ name }) => name ?? '-',
        model: ({ hello, make, model }) => [make, hello?.modelNum ?? model].filter(Boolean).join(' ') || '?',
        address: ({ address }) => address,
        connected: ({ connected }) => (connected ? 'yes' : 'no'),
        since: ({ since }) => dateText(since),
        remark,
      });
    }
    for (const { name, connected, reason } of bridges)
      if (!connected) say(`bridge ${name} is not connected, so nothing that it announces is heard: ${reason}`);
    return 0;
  },
});

function remark({ contested, replaces, driver, refused }: Device): string {
  if (refused !== null) return `cannot be confirmed, its announcement is not understood: ${refused}`;
  if (driver !== null) return 'announced: confirm it with a --name';
  if (contested) return 'more than one claims to be this one: confirm the fingerprint that the lock itself shows, all 16 digits';
  if (replaces === null) return 'new: confirm it with a --name';
  const { lockId, lockName, online } = replaces;
  return online ? `lock ${lockId} (${lockName}) is online with its own key, so it was not reset` : `lock ${lockId} (${lockName}), reset`;
}

interface Confirmation extends Given, NewLockOptions {
  readonly device: string;
  readonly fingerprint?: string;
}

const confirm = command<Confirmation>({
  name: 'confirm',
  says: 'let a device in that waits or is announced: as a new lock, or as the registered lock that was reset',
  settings: 'directory',
  arguments: [{ name: 'device', says: 'its MAC address, see "latchd pair list"' }],
  options: [
    {
      flag: '--fingerprint',
      value: '<fingerprint>',
      says: 'of the key of one that waits, all 16 digits, as the lock or its app shows it: it tells this device from one that poses as it',
    },
    { flag: '--name', value: '<name>', says: 'what the new lock is called; a lock that was reset keeps its name, cards and roles' },
    ...newLockOptions,
    jsonOption,
  ],
  examples: [
    ['pair confirm 01:23:45:67:89:AB --fingerprint 9f86-d081-884c-7d65 --name Cellar', 'a new lock; within seconds it is back as one'],
    ['pair confirm 01:23:45:67:89:AB --fingerprint 9f86-d081-884c-7d65', 'a registered lock that was reset'],
    ['pair confirm 02:E7:00:59:D8:6B --name Attic', 'a lock that a bridge announces; it has no key'],
  ],
  async run({ device, fingerprint, json, ...described }, { configured }) {
    const names = {
      ...newLockNames,
      deviceId: '<device>',
      keyFingerprint: '--fingerprint',
      body: '--name, --alias, --group and --administrator',
    };
    const work = manageRunning(configured(), async (ask) => {
      // For a lock that was reset, the request must describe nothing, and so must not name an administrator either.
      const isUnowned = described.name !== undefined && described.administrator === undefined;
      const lock = newLockBody(isUnowned ? { ...described, administrator: await onlyAdministrator(ask) } : described);
      if (fingerprint === undefined) await requireAnnounced(ask, device);
      const request = { parameters: { deviceId: device }, body: { ...(fingerprint && { keyFingerprint: fingerprint }), ...lock } };
      return ask<{ lockId: number; deviceId: string }>(`POST ${gateway}/devices/{deviceId}/confirm`, request);
    });
    const confirmed = await inWords({ names, listed: 'pair list' }, work);
    say(`${device} is lock ${confirmed.lockId}${fingerprint === undefined ? '' : ': within seconds it is back as that'}`);
    if (json) print(JSON.stringify(confirmed));
    return 0;
  },
});

/** One that waits is let in by its fingerprint alone: whoever types it has seen it at the lock. */
async function requireAnnounced(ask: Ask, device: string): Promise<void> {
  const plain = (mac: string) => mac.replaceAll(/[:-]/g, '').toLowerCase();
  const devices = await askForAll<Device>(ask, `GET ${gateway}/devices`);
  const found = devices.filter(({ lockMac }) => plain(lockMac) === plain(device));
  if (found.length > 0 && found.every(({ driver }) => driver === null)) throw new Error('--fingerprint is needed for a device that waits');
}

export const pairing: Group = {
  name: 'pair',
  says: 'let locks in that made their own key: open the pairing, see who waits, confirm them, close it',
  commands: [open, list, confirm, close],
};
