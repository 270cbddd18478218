// Devices of other makes, as `--as` names them: registers those that log in to the gateway, and connects all of them.
import type { Reconnect } from '../mqtt-line.ts';
import { createRegistrar } from '../registration.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { createOwnTime, createSystemTime, type TimeSource } from '../time-source.ts';
import { createAnnouncedLock } from './announced-lock.ts';
import type { DeviceOptions, Door, SimulatedDevice } from './device.ts';
import { createNuki } from './nuki.ts';
import { createNukiHub } from './nuki-hub.ts';
import { createRunningDevice, type RunningDevice } from './running-device.ts';
import { createShelly } from './shelly.ts';
import { createZigbee2Mqtt } from './zigbee2mqtt.ts';

interface DeviceMake {
  readonly address: RegExp;
  readonly create: (options: DeviceOptions) => SimulatedDevice;
  /** The member of a registration that has its address; absent: it connects to a broker, and a person says yes to what it announces. */
  readonly member?: string;
}

const topicLevels = /^(?=.{1,64}$)[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;
const makes: ReadonlyMap<string, DeviceMake> = new Map<string, DeviceMake>([
  ['nuki', { address: /^[0-9A-Fa-f]{8}$/, create: createNuki, member: 'nukiId' }],
  ['nuki-hub', { address: topicLevels, create: createNukiHub, member: 'base' }],
  ['shelly', { address: topicLevels, create: createShelly, member: 'prefix' }],
  ['z2m', { address: /^([1-9]|[1-4][0-9]|50)$/, create: createZigbee2Mqtt }],
  ['discovery', { address: /^.{1,64}$/, create: createAnnouncedLock }],
]);

export interface DeviceSpec {
  readonly kind: string;
  readonly address: string;
}

/** What `--as` says, such as `nuki:2BB28570`. Throws one sentence. */
export function parseDeviceSpec(text: string): DeviceSpec {
  const [, kind = '', address = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
  const make = makes.get(kind);
  if (make === undefined) throw new Error(`must begin with one of ${[...makes.keys()].map((name) => `${name}:`).join(', ')}.`);
  if (!make.address.test(address)) throw new Error(`has no address of a ${kind} after the colon.`);
  return { kind, address };
}

export interface DeviceFleetOptions {
  readonly specs: readonly DeviceSpec[];
  /** Where devices connect that are not registered, and those whose password is given. */
  readonly mqttUrl: string;
  readonly gatewayUrl: string;
  /** Token of a gateway administrator; asked for only when a device has to be registered. */
  readonly token: () => Promise<string>;
  /** In the order of `specs`; a device without a password is registered, if its make is. */
  readonly usernames: readonly string[];
  readonly passwords: readonly string[];
  /** Of every device whose make knows them, from the first connect on. */
  readonly faults: readonly string[];
  readonly time?: TimeSource;
  /** Default 500 and 5,000. */
  readonly reconnect?: Reconnect;
  /** How long `start` waits until all are online; default 20,000. */
  readonly startTimeoutMs?: number;
  readonly travelMs?: number;
  readonly onLine?: (name: string, line: string) => void;
}

/** A door of one of the devices, by its number. */
export interface DoorHandle {
  /** From 1, over all devices. */
  readonly number: number;
  readonly door: Door;
  readonly running: RunningDevice;
}

export interface DeviceFleet {
  /** Resolves when all are connected and subscribed. Rejects with one clear sentence, and leaves nothing running. */
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly doors: readonly DoorHandle[];
  /** By number, from 1; throws when there is none. */
  door(number: number): DoorHandle;
}

interface Login {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

export function createDeviceFleet(options: DeviceFleetOptions): DeviceFleet {
  const { specs, mqttUrl, time = createSystemTime(), reconnect = { minMs: 500, maxMs: 5_000 }, startTimeoutMs = 20_000 } = options;
  const running: RunningDevice[] = [];
  const clocks: { halt(): void }[] = [];
  const doors: DoorHandle[] = [];

  async function loginOf({ kind, address }: DeviceSpec, index: number): Promise<Login> {
    const username = options.usernames[index];
    const password = options.passwords[index];
    const member = makes.get(kind)?.member;
    if (password === undefined && member !== undefined) {
      const registrar = createRegistrar({ gatewayUrl: options.gatewayUrl, token: await options.token() });
      return registrar.device({ kind, [member]: address }, member, `${kind} ${address}`);
    }
    return { url: mqttUrl, ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  }

  function open(spec: DeviceSpec, login: Login): void {
    const make = makes.get(spec.kind);
    if (make === undefined) throw new Error(`there is no make ${spec.kind}`);
    const name = `${spec.kind} ${spec.address}`;
    const tell = (line: string): void => options.onLine?.(name, line);
    const { travelMs } = options;
    const own = createOwnTime(time);
    clocks.push(own);
    const device = make.create({ address: spec.address, time: own, tell, ...(travelMs !== undefined && { travelMs }) });
    for (const { faults } of device.doors) for (const fault of options.faults) if (faults.known.has(fault)) faults.set(fault, true);
    const random = createSeededRandom(running.length + 1);
    const onTurnedAway = (): void => tell('no connection: it is closed before it is answered');
    const opened = createRunningDevice({ device, ...login, reconnect, random, time, tell, onTurnedAway });
    running.push(opened);
    for (const door of device.doors) doors.push({ number: doors.length + 1, door, running: opened });
  }

  async function stop(): Promise<void> {
    await Promise.all(running.map((device) => device.stop()));
    for (const clock of clocks) clock.halt();
  }

  return {
    async start() {
      try {
        for (const [index, spec] of specs.entries()) open(spec, await loginOf(spec, index));
        const unknown = options.faults.filter((fault) => !doors.some(({ door }) => door.faults.known.has(fault)));
        if (unknown.length > 0) throw new Error(`no device here has the fault ${unknown.join(', ')}; type faults 1 at the prompt`);
        for (const device of running) device.start();
        await allOnline(running, startTimeoutMs, time);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    doors,
    door(number) {
      const found = doors[number - 1];
      if (found === undefined) throw new Error(`there is no door ${number}; they are 1 to ${doors.length}`);
      return found;
    },
  };
}

async function allOnline(running: readonly RunningDevice[], withinMs: number, time: TimeSource): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const cancel = time.timer(withinMs, () => {
      const missing = running.find(({ online }) => !online);
      const name = missing?.device.doors[0]?.name ?? 'a device';
      reject(
        new Error(`${name} did not come online within ${withinMs / 1_000} s: ${missing?.trouble ?? 'no answer to its subscriptions'}`),
      );
    });
    Promise.all(running.map((device) => device.whenOnline())).then(() => {
      cancel();
      resolve();
    }, reject);
  });
}
