#!/usr/bin/env node
// The simulator as a program: arguments, the token, a terminal, signals. `node dist/device-sim/main.js --help`
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Command, InvalidArgumentError } from 'commander';
import { createDeviceFleet, type DeviceSpec, parseDeviceSpec } from './devices/device-fleet.ts';
import { createDeviceTerminal } from './devices/device-terminal.ts';
import { createFleet } from './fleet.ts';
import { parseFleetFile } from './fleet-file.ts';
import type { LockProfile } from './lock-profile.ts';
import { isPlantedFault, type PlantedFaultName, plantedFaultLines } from './planted-faults.ts';
import { createTerminal } from './terminal.ts';
import type { Terminal } from './terminal-words.ts';

interface Arguments {
  readonly locks?: number;
  readonly gateway: string;
  readonly mqtt: string;
  readonly tokenFile?: string;
  readonly stateDir: string;
  readonly fleet?: string;
  readonly seed: number;
  readonly topicRoot: string;
  readonly renewKeys: boolean;
  readonly hubs?: number;
  readonly features?: readonly string[];
  readonly pair: boolean;
  readonly plant?: PlantedFaultName;
  readonly plants: boolean;
  readonly as: readonly DeviceSpec[];
  readonly username: readonly string[];
  readonly password: readonly string[];
  readonly fault: readonly string[];
  readonly startTimeout: number;
  readonly quiet: boolean;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function whole(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    if (!/^[0-9]{1,9}$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
      throw new InvalidArgumentError(`must be a whole number from ${minimum} to ${maximum}.`);
    }
    return Number(text);
  };
}

function url(...protocols: string[]): (text: string) => string {
  return (text) => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new InvalidArgumentError(`must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`);
    }
    return text;
  };
}

const deviceHelp =
  'a device of another make in place of the fleet, as often as you like: nuki:2BB28570, nuki-hub:nukihub, shelly:shellyplus1-a8032abe54dc, ' +
  'z2m:4 (four locks), discovery:front_door';

function device(text: string, before: readonly DeviceSpec[]): readonly DeviceSpec[] {
  try {
    return [...before, parseDeviceSpec(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function plant(name: string): PlantedFaultName {
  if (!isPlantedFault(name)) throw new InvalidArgumentError('there is no such fault; --plants lists them.');
  return name;
}

function more(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function parseArguments(): Arguments {
  return new Command('latchd-sim')
    .description('A fleet of simulated door locks for a latchd gateway. Type help when it runs.')
    .option('--locks <n>', 'how many locks (default: as many as the fleet file has, else 3)', whole(1, 100_000))
    .option('--gateway <url>', 'HTTP API of the gateway', url('http:', 'https:'), 'http://127.0.0.1:8080')
    .option('--mqtt <url>', 'where the gateway takes its locks', url('mqtt:', 'mqtts:', 'ws:', 'wss:'), 'mqtt://127.0.0.1:1883')
    .option(
      '--token-file <file>',
      'file with the token of a gateway administrator (default: $LATCHD_TOKEN itself, else admin.token in $LATCHD_DATA_DIR or ./data)',
    )
    .option('--state-dir <folder>', "the locks' memories, one file each", 'device-sim-state')
    .option('--fleet <file>', 'fleet file; see config/fleet.yaml')
    .option('--seed <n>', 'part of every MAC address, and the beginning of all chance', whole(0, 65_535), 1)
    .option('--topic-root <root>', 'as in the configuration of the gateway', 'latchd/v1')
    .option('--renew-keys', 'ask for new device keys for locks that are registered already', false)
    .option('--hubs <n>', 'so many hubs, and every lock behind one of them', whole(0, 1_000))
    .option(
      '--features <words>',
      'what the locks can do beyond the first version of the protocol: none, or words of it (default: credentials,hours,once; with --fleet, as the file says)',
      (text: string): readonly string[] => (text === 'none' ? [] : text.split(',')),
    )
    .option('--pair', 'the locks make their own keys and wait to be confirmed; needs no token', false)
    .option('--plant <name>', 'a fault of firmware in every lock, which breaks one rule of the protocol', plant)
    .option('--plants', 'list the faults that can be planted, and the rule that each breaks', false)
    .option('--as <make:address>', deviceHelp, device, [])
    .option(
      '--username <name>',
      'of a device, in the order of --as (default: $LATCHD_SIM_USERNAME, else that of its registration)',
      more,
      [],
    )
    .option('--password <password>', 'the same (default: $LATCHD_SIM_PASSWORD, else that of its registration)', more, [])
    .option('--fault <name>', 'what is wrong with the devices of --as from the start; type faults 1 for the names', more, [])
    .option('--start-timeout <seconds>', 'how long to wait until all locks are online', whole(1, 3_600), 20)
    .option('--quiet', 'do not tell what happens at the doors', false)
    .parse()
    .opts<Arguments>();
}

async function readToken(tokenFile: string | undefined): Promise<string> {
  const given = process.env['LATCHD_TOKEN'];
  if (tokenFile === undefined && given !== undefined && given !== '') return given;
  const file = tokenFile ?? join(process.env['LATCHD_DATA_DIR'] ?? 'data', 'admin.token');
  const token = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`no token: ${file} cannot be read (${error.message}); give --token-file or LATCHD_TOKEN`, { cause: error });
  });
  if (token.trim() === '') throw new Error(`no token: ${file} is empty`);
  return token.trim();
}

async function readFleet(file: string | undefined): Promise<LockProfile[] | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`the fleet file cannot be read: ${error.message}`, { cause: error });
  });
  return parseFleetFile(text, file);
}

/** What runs at the prompt. */
interface Stage {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What is there, once it has started. */
  greeting(): string;
  readonly terminal: Terminal;
}

/** Of the locks of no fleet file: firmware of today. */
const usualFeatures = ['credentials', 'hours', 'once'];

async function fleetStage(options: Arguments): Promise<Stage> {
  const profiles = await readFleet(options.fleet);
  const locks = options.locks ?? (profiles === undefined ? 3 : undefined);
  const features = options.features ?? (profiles === undefined ? usualFeatures : undefined);
  const fleet = createFleet({
    gatewayUrl: options.gateway,
    mqttUrl: options.mqtt,
    token: options.pair ? '' : await readToken(options.tokenFile),
    stateDir: options.stateDir,
    ...(profiles !== undefined && { profiles }),
    ...(locks !== undefined && { locks }),
    ...(features !== undefined && { profile: { features: [...features] } }),
    seed: options.seed,
    topicRoot: options.topicRoot,
    renewKeys: options.renewKeys,
    pair: options.pair,
    ...(options.plant !== undefined && { plant: options.plant }),
    ...(options.hubs !== undefined && { hubs: options.hubs }),
    startTimeoutMs: options.startTimeout * 1_000,
    ...(!options.quiet && { onLine: (lock, line) => write(`#${lock.number} ${lock.name}: ${line}`) }),
  });
  const how = options.pair ? `wait at ${options.mqtt} to be confirmed` : `are online at ${options.mqtt}`;
  return {
    start: fleet.start,
    stop: fleet.stop,
    greeting: () => `${fleet.locks.length} locks ${how}`,
    terminal: createTerminal({ fleet, write }),
  };
}

function deviceStage(options: Arguments): Stage {
  const given = (list: readonly string[], name: string): readonly string[] => {
    const value = process.env[name];
    return list.length > 0 || value === undefined || value === '' ? list : [value];
  };
  const fleet = createDeviceFleet({
    specs: options.as,
    gatewayUrl: options.gateway,
    mqttUrl: options.mqtt,
    token: () => readToken(options.tokenFile),
    usernames: given(options.username, 'LATCHD_SIM_USERNAME'),
    passwords: given(options.password, 'LATCHD_SIM_PASSWORD'),
    faults: options.fault,
    startTimeoutMs: options.startTimeout * 1_000,
    ...(!options.quiet && { onLine: (name, line) => write(`${name}: ${line}`) }),
  });
  const terminal = createDeviceTerminal({ fleet, write });
  return {
    start: fleet.start,
    stop: fleet.stop,
    greeting: () => `${fleet.doors.length === 1 ? '1 door is' : `${fleet.doors.length} doors are`} online`,
    terminal,
  };
}

async function run(): Promise<void> {
  const options = parseArguments();
  if (options.plants) {
    for (const line of plantedFaultLines()) write(line);
    return;
  }
  const stage = options.as.length > 0 ? deviceStage(options) : await fleetStage(options);
  const input = createInterface({ input: process.stdin });
  const leave = async (): Promise<void> => {
    input.close();
    await stage.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      leave().then(() => process.exit(0), fail);
    });
  }
  await stage.start().catch((error: unknown) => {
    input.close();
    throw error;
  });
  write(`${stage.greeting()}; type help`);
  // One line after the other, as at a real door. Without a terminal (a service, a test rig) the simulator ends at a signal,
  // not at the end of the input.
  let last: Promise<unknown> = Promise.resolve();
  input.on('line', (line) => {
    last = last.then(() => stage.terminal.run(line)).then((stay) => (stay ? undefined : leave()), fail);
  });
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

run().catch(fail);
