// A gateway and some devices with links of their own between them, each side a process that can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type LinkedBrokers, placeBrokers } from './links-brokers.ts';
import { type MakeName, makes } from './links-makes.ts';
import type { Network } from './links-network.ts';

export interface CellOptions {
  readonly network: Network;
  readonly links: readonly number[];
  readonly port: number;
  readonly tls: boolean;
  readonly end: 'reset' | 'destroy';
  /** The whole gateway with its driver for this make, in a folder of its own; absent: the broker alone. */
  readonly make?: MakeName | undefined;
  readonly folder: string;
}

/** How an unlock ended for the caller; undefined when the gateway died first. */
export type Outcome = 'ok' | 'no-reply' | 'unsent' | 'offline' | `refused${string}` | undefined;

/** An unlock that reached its device; `at`: milliseconds, as of `now`. */
export interface Heard {
  readonly at: number;
  readonly bytes: number;
}

export interface Cell {
  readonly options: CellOptions;
  start(): Promise<void>;
  /** Asks for an unlock; `id` is new. The whole gateway has deadline and freshness by itself. */
  unlock(link: number, order: { readonly id: number; readonly ttlMs: number; readonly freshMs?: number }): void;
  outcome(id: number): { readonly outcome: Outcome; readonly at: number } | undefined;
  heard(id: number): readonly Heard[];
  /** How often the device of this link has come online. */
  logins(link: number): number;
  /** When the gateway last lost it. */
  lostAt(link: number): number | undefined;
  /** The device says something, and so finds out whether its connection is still there. */
  speak(link: number): void;
  /** Resolves when that side is gone. */
  kill(side: 'gateway' | 'devices'): Promise<void>;
  startGateway(): Promise<void>;
  startDevices(): void;
  close(): void;
}

interface Happening {
  readonly is: 'ready' | 'online' | 'offline' | 'ended' | 'heard';
  readonly at: number;
  readonly device?: string;
  readonly id?: number;
  readonly outcome?: Outcome;
  readonly bytes?: number;
  /** In the order of the links. */
  readonly logins?: readonly { readonly username: string; readonly password: string }[];
}

/** How long the whole gateway waits for an answer: also on a machine that is busy an unlock is written long before. */
export const gatewayTtlMs = 2_000;

/** Milliseconds on the clock that all processes of this machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
function endWithUs(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}
const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

export function createCell(options: CellOptions): Cell {
  const { network, links, port, tls, end, make, folder } = options;
  const brokers: ChildProcess[] = [];
  let placed: LinkedBrokers | undefined;
  const children: Partial<Record<'gateway' | 'devices', ChildProcess>> = {};
  const outcomes = new Map<number, { readonly outcome: Outcome; readonly at: number }>();
  const hearings = new Map<number, Heard[]>();
  const logins = new Map<string, number>();
  const losses = new Map<string, number>();
  /** The last unlock that was asked for on a link: no make has a number for it that its device could tell. */
  const lastIds = new Map<string, number>();
  let credentials: Happening['logins'];
  let onReady = () => {};

  function take({ is, at, device = '', id = lastIds.get(device) ?? 0, outcome, bytes = 0, logins: given }: Happening): void {
    if (is === 'ready') {
      credentials = given;
      onReady();
    }
    if (is === 'online') logins.set(device, (logins.get(device) ?? 0) + 1);
    if (is === 'offline') losses.set(device, at);
    if (is === 'ended') outcomes.set(id, { outcome, at });
    if (is === 'heard') hearings.set(id, [...(hearings.get(id) ?? []), { at, bytes }]);
  }

  function run(side: 'gateway' | 'devices', name: string, argument: unknown): void {
    const [ip = '', ...rest] = network.on(side, [process.execPath, program(name), JSON.stringify(argument)]);
    const child = spawn(ip, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
    endWithUs(child);
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (text) => take(JSON.parse(text) as Happening));
    children[side] = child;
  }

  function startBroker(command: readonly string[]): void {
    const [ip = '', ...rest] = network.on('devices', command);
    const child = spawn(ip, rest, { stdio: 'ignore' });
    endWithUs(child);
    brokers.push(child);
  }

  const tell = (side: 'gateway' | 'devices', line: string) => void children[side]?.stdin?.write(`${line}\n`);
  const nameOf = (link: number) => `d${link}`;

  const cell: Cell = {
    options,
    async startGateway() {
      const ready = new Promise<void>((resolve) => {
        onReady = resolve;
      });
      run('gateway', make === undefined ? 'links-gateway' : 'links-daemon', {
        ...{ port, tls, end, make, folder, links, bridges: placed?.bridges, ttlMs: gatewayTtlMs },
      });
      await ready;
    },
    startDevices() {
      const urlOf = (link: number) => placed?.urlBeside(link) ?? `${tls ? 'mqtts' : 'mqtt'}://${network.gatewayAddress(link)}:${port}`;
      run(
        'devices',
        'links-device',
        links.map((link, at) => ({ name: nameOf(link), link, url: urlOf(link), make, ...credentials?.[at] })),
      );
    },
    async start() {
      if (make !== undefined && makes[make].isBridged)
        placed = await placeBrokers({ network, links, port, tls, folder: `${folder}-brokers` });
      placed?.commands.forEach(startBroker);
      await cell.startGateway();
      cell.startDevices();
    },
    unlock(link, order) {
      lastIds.set(nameOf(link), order.id);
      tell('gateway', JSON.stringify({ device: nameOf(link), ...order }));
    },
    outcome: (id) => outcomes.get(id),
    heard: (id) => hearings.get(id) ?? [],
    logins: (link) => logins.get(nameOf(link)) ?? 0,
    lostAt: (link) => losses.get(nameOf(link)),
    speak: (link) => tell('devices', nameOf(link)),
    async kill(side) {
      const child = children[side];
      if (child === undefined) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
    close() {
      for (const child of [...Object.values(children), ...brokers]) child.kill('SIGKILL');
    },
  };
  return cell;
}
