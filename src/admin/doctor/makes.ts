// Checks what locks of other makes need: the networks of their listener, their bridges, and what somebody should switch at them.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from '../../app/config.ts';
import { hostInClear } from '../../app/config-broker.ts';
import type { Daemon } from './daemon.ts';
import { fail, good, type Verdict, warn } from './verdict.ts';

/** The daemon's report of a bridge (`domain/locks/bridges.ts`). */
interface Bridge {
  readonly name: string;
  readonly connected: boolean;
  readonly since: number;
  readonly reason: string;
  readonly locks: number;
  readonly drivers: readonly { readonly kind: string; readonly online: boolean }[];
  readonly admitsStrangers: boolean | null;
}

/** The daemon's report of what locks warn of (`app/lock-warnings.ts`). */
interface LockWarning {
  readonly warning: string;
  readonly locks: number;
  readonly first: string;
}

/** `ownAddresses`: of this machine. */
export function checkDevices({ devices }: Pick<Config, 'devices'>, ownAddresses = interfaceAddresses()): readonly Verdict[] {
  if (!devices.enabled) return [];
  const allowed = new BlockList();
  for (const network of devices.networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    allowed.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  const listening = ['0.0.0.0', '::'].includes(devices.host) ? ownAddresses : [devices.host];
  const networks = devices.networks.join(', ');
  if (listening.some((address) => allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')))
    return [good(`devices of ${networks} may log in`)];
  const remedy = 'set devices.networks to the network of the devices, and devices.host to the address of this machine in it ("ip address")';
  return [warn(`no address on which devices may log in lies in ${networks}: no device there reaches it without a router`, remedy)];
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

/** Of each bridge in the configuration; how it is only the daemon knows. */
export function checkBridges({ bridges }: Pick<Config, 'bridges'>, { answer }: Pick<Daemon, 'answer'>): readonly Verdict[] {
  const known = (answer?.['bridges'] ?? []) as readonly Bridge[];
  return bridges.flatMap(({ name, url }) => {
    const bridge = known.find((one) => one.name === name);
    return [...(bridge ? stateOf(bridge) : []), ...encryptionOf(name, url)];
  });
}

function stateOf({ name, connected, since, reason, locks, drivers, admitsStrangers }: Bridge): readonly Verdict[] {
  if (!connected) {
    const offline = locks === 0 ? '' : ` ${locks === 1 ? 'Its lock is' : `Its ${locks} locks are`} offline until then`;
    const remedy = `does its broker run, and are url, username, passwordFile and ca of it right?${offline}`;
    return [fail(`bridge ${name} has not been connected since ${new Date(since).toISOString()}: ${reason}`, remedy)];
  }
  const away = drivers.filter(({ online }) => !online).map(({ kind }) => kind);
  return [
    away.length === 0
      ? good(`bridge ${name} is connected, with ${locks} ${locks === 1 ? 'lock' : 'locks'}`)
      : warn(
          `bridge ${name} is connected, and ${away.join(', ')} does not run there`,
          `start ${away.join(', ')}, and look at its base topic in bridges`,
        ),
    ...(admitsStrangers === true ? [openBroker(name)] : []),
  ];
}

function openBroker(name: string): Verdict {
  const remedy =
    'have it ask for a user name and a password (Mosquitto: allow_anonymous false), and let each of them see its own topics alone';
  return warn(
    `the broker of bridge ${name} lets strangers subscribe (open-broker): they can invent events, and perhaps open doors`,
    remedy,
  );
}

function encryptionOf(name: string, url: string): readonly Verdict[] {
  const host = hostInClear(url);
  if (host === undefined) return [];
  const remedy = 'give its broker TLS, then mqtts:// in its url, and ca when the authority is your own';
  return [warn(`bridge ${name} speaks to ${host} in clear: whoever hears the network reads its password`, remedy)];
}

/** What is seen stands before the locks, so that it is a sentence for one and for many. */
const toSwitch: Readonly<Record<string, readonly [seen: string, remedy: string]>> = {
  'actions-off': ['no commands over MQTT are taken by', 'switch on "Allow lock actions" in the app of the lock'],
  'power-up-state': [
    'power that comes back may open the door, so nothing is sent to',
    'set the power-on state of the relay to off, and auto-on off',
  ],
  'never-heard': [
    'nothing was ever heard of',
    'is its address right, and was its login typed in? Why a login was refused says the log: connection-refused, connection-turned-away',
  ],
  'cache-state': ['old states pass for new ones at', 'set advanced.cache_state to false in the configuration of Zigbee2MQTT'],
};

/** Those that are about locks; an open broker is said of its bridge. */
export function checkLocks({ answer }: Pick<Daemon, 'answer'>): readonly Verdict[] {
  const warnings = (answer?.['lockWarnings'] ?? []) as readonly LockWarning[];
  return warnings.flatMap(({ warning, locks, first }) => {
    const known = toSwitch[warning];
    if (known === undefined) return [];
    const [seen, remedy] = known;
    return [warn(`${seen} ${locks === 1 ? '1 lock' : `${locks} locks`} (${first}${locks === 1 ? '' : ', …'}): ${warning}`, remedy)];
  });
}
