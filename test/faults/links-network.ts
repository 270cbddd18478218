// A network of links that can be cut: the gateway in one network namespace, the devices in another, and a pair of virtual cables for each link.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { CannotRun } from './fault.ts';

/**
 * How a link breaks. `plug`: the device's end is down, and the gateway's machine sees that its cable is dead. `air`: nothing that is sent
 * arrives any more, and nobody notices, as behind an access point.
 */
export type Break = 'plug' | 'air';

export interface Network {
  /** The program and its arguments, run on this side. */
  readonly on: (side: 'gateway' | 'devices', command: readonly string[]) => readonly string[];
  gatewayAddress(link: number): string;
  deviceAddress(link: number): string;
  breakOf(link: number): Break;
  cut(link: number): void;
  heal(link: number): void;
  close(): void;
}

const gatewayAddress = (link: number) => `10.78.${link}.1`;
const deviceAddress = (link: number) => `10.78.${link}.2`;
const breakOf = (link: number): Break => (link % 2 === 0 ? 'plug' : 'air');

/** Links 0 to `links` - 1, at most 250. Throws CannotRun where no network can be made. */
export function openNetwork(links: number): Network {
  const names = { gateway: `latchd-gateway-${process.pid}`, devices: `latchd-devices-${process.pid}` };
  if (process.getuid?.() !== 0) throw new CannotRun('a network of its own can be made by root alone');
  if (spawnSync('ip', ['-V']).status !== 0) throw new CannotRun('there is no ip (iproute2)');
  const close = () => {
    for (const name of Object.values(names)) spawnSync('ip', ['netns', 'del', name]);
  };
  process.once('exit', close);
  const made = spawnSync('ip', ['-batch', '-'], { input: `${setUp(names, links).join('\n')}\n`, encoding: 'utf8' });
  if (made.status !== 0) throw new CannotRun(`no network can be made here: ${made.stderr.trim()}`);
  // One process for all cuts: a cut is to come within a millisecond or two of a command.
  const cutter = spawn('ip', ['-n', names.devices, '-force', '-batch', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
  return {
    on: (side, command) => ['ip', 'netns', 'exec', names[side], ...command],
    gatewayAddress,
    deviceAddress,
    breakOf,
    cut: (link) => tell(cutter, breakOf(link) === 'plug' ? [`link set d${link} down`] : rules('add', link)),
    heal: (link) => tell(cutter, breakOf(link) === 'plug' ? [`link set d${link} up`] : rules('del', link)),
    close() {
      cutter.kill();
      close();
    },
  };
}

function tell({ stdin }: ChildProcess, lines: readonly string[]): void {
  stdin?.write(`${lines.join('\n')}\n`);
}

/** Before the rule for the machine's own addresses, which is at 100: what comes and goes is lost without a word. */
const rules = (change: 'add' | 'del', link: number): readonly string[] => [
  `rule ${change} pref ${link + 1} from ${gatewayAddress(link)} blackhole`,
  `rule ${change} pref ${link + 1} to ${gatewayAddress(link)} blackhole`,
];

function setUp({ gateway, devices }: { readonly gateway: string; readonly devices: string }, links: number): readonly string[] {
  const inside = (name: string, lines: readonly string[]) => lines.map((line) => `netns exec ${name} ip ${line}`);
  const own = Array.from({ length: links }, (_, link) => [
    `link add g${link} netns ${gateway} type veth peer name d${link} netns ${devices}`,
    ...inside(gateway, [`addr add ${gatewayAddress(link)}/30 dev g${link}`, `link set g${link} up`]),
    ...inside(devices, [`addr add ${deviceAddress(link)}/30 dev d${link}`, `link set d${link} up`]),
  ]);
  return [
    ...[gateway, devices].flatMap((name) => [`netns add ${name}`, ...inside(name, ['link set lo up'])]),
    ...inside(devices, ['rule add pref 300 lookup local', 'rule del pref 0']),
    ...own.flat(),
  ];
}
