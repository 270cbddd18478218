// A fleet of simulated locks and hubs: registers them with the gateway (or lets the locks wait to be confirmed), stores the
// locks' memories in one folder, and connects them.
import { join } from 'node:path';
import type { DeviceId } from '../src/domain/locks/lock.ts';
import { createTopics } from '../src/drivers/native/topics.ts';
import { createFleetLock, type FleetLock } from './fleet-lock.ts';
import { createHub, type HubHandle, type SimulatedHub } from './hub.ts';
import type { LockHandle } from './lock-handle.ts';
import { giveKey, makeKeys } from './lock-keys.ts';
import { completeProfile, type LockProfile, type LockProfileInput, lockProfile } from './lock-profile.ts';
import type { Reconnect } from './mqtt-line.ts';
import { type PlantedFaultName, plantedFaults } from './planted-faults.ts';
import { createRegistrar } from './registration.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createSystemTime, type TimeSource } from './time-source.ts';

export interface FleetOptions {
  /** URL of the gateway's HTTP API, such as `http://127.0.0.1:8080`. */
  readonly gatewayUrl: string;
  /** URL to which locks connect, such as `mqtt://127.0.0.1:1883`. */
  readonly mqttUrl: string;
  /** Token of a gateway administrator; locks that wait to be confirmed do not need it. */
  readonly token: string;
  /** Folder of the locks' memory files, `<deviceId>.json` each; the fleet creates it if it does not exist. */
  readonly stateDir: string;
  /** How many locks; default as many as `profiles` has, or 1. A larger fleet uses the profiles again in order. */
  readonly locks?: number;
  /** The kinds of lock, in order (see parseFleetFile). */
  readonly profiles?: readonly LockProfile[];
  /** Overrides members of every profile: for a test that wants, say, no auto lock anywhere. */
  readonly profile?: LockProfileInput;
  /** So many hubs, with the locks spread evenly behind them. Without it the profiles say which lock is behind which hub. */
  readonly hubs?: number;
  /** True: the locks make their own keys, and a lock that is not registered waits for a person to confirm it (Protocol 7). */
  readonly pair?: boolean;
  /** A fault of the firmware of every lock (planted-faults.ts); not behind hubs. */
  readonly plant?: PlantedFaultName;
  /** 0 to 65535: part of every MAC address, and the seed of all random decisions. Default 1. */
  readonly seed?: number;
  /** Default `latchd/v1`. */
  readonly topicRoot?: string;
  /** Default 500 and 5,000, and 60,000 for a lock that the gateway rejects. */
  readonly reconnect?: Reconnect;
  /** How long `start` waits until all are online; default 20,000. */
  readonly startTimeoutMs?: number;
  /** True: the fleet asks for a new device key for every lock that is registered already. */
  readonly renewKeys?: boolean;
  /** False: the locks do not flush their memory files; for load tests. Default true. */
  readonly flush?: boolean;
  /** How many locks are registered at a time; default 16. With 1 their lockIds rise with their numbers. */
  readonly registerAtOnce?: number;
  readonly time?: TimeSource;
  /** Gets a line for each thing that happens at a door. */
  readonly onLine?: (lock: Pick<LockHandle, 'number' | 'name'>, line: string) => void;
}

export interface Fleet {
  readonly name: string;
  /**
   * Registers and connects the locks. Resolves when every lock is online; with `pair`, when every lock tries to connect. Rejects with one
   * clear sentence, and leaves nothing running.
   */
  start(): Promise<void>;
  /** Every lock says offline and disconnects. Idempotent. */
  stop(): Promise<void>;
  /** The locks by number; empty before `start` has made them. */
  readonly locks: readonly LockHandle[];
  /** By number, from 1; throws when there is none. */
  lock(number: number): LockHandle;
  readonly hubs: readonly HubHandle[];
  /** By number, from 1; throws when there is none. */
  hub(number: number): HubHandle;
}

/** How many locks are opened at a time, and registered unless the options say otherwise. */
const atOnce = 16;

/** An explanation that the gateway does not give itself: it closes such connections without an answer. */
const turnedAwayAdvice =
  'no connection: the gateway closes it before it answers. It may have no more places for this address: mqtt.connectionsPerAddress in its ' +
  'configuration, 1,200 unless it is set; its log says "connections-full" then. Trying again, less and less often; others are not told';

/** A locally administered address (02…) made from the seed and the lock's number, so that the same fleet always has the same addresses. */
export function fleetDeviceId(seed: number, number: number): DeviceId {
  return `02${seed.toString(16).padStart(4, '0')}${number.toString(16).padStart(6, '0')}` as DeviceId;
}

/** As `fleetDeviceId`, beyond every lock's number. */
export function fleetHubId(seed: number, number: number): DeviceId {
  return fleetDeviceId(seed, 0xf00000 + number);
}

export function createFleet(options: FleetOptions): Fleet {
  const { seed = 1, startTimeoutMs = 20_000, pair = false } = options;
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffff) throw new Error('the seed must be a whole number from 0 to 65535');
  const profiles = options.profiles ?? [completeProfile({})];
  const count = options.locks ?? profiles.length;
  if (!Number.isInteger(count) || count < 1 || count > 0xefffff) throw new Error('the number of locks must be 1 to 15728639');
  const overrides = lockProfile.parse(options.profile ?? {});
  const time = options.time ?? createSystemTime();
  const topics = createTopics(options.topicRoot ?? 'latchd/v1');
  const registrar = createRegistrar(options);
  const reconnect = options.reconnect ?? { minMs: 500, maxMs: 5_000, turnedAwayMs: 60_000 };
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const hubCount = Math.max(...numbers.map(hubNumberOf));
  if (options.plant !== undefined && hubCount > 0) throw new Error('no fault is planted in a lock behind a hub: its hub speaks for it');
  if (pair && hubCount > 0) throw new Error('a lock behind a hub is not paired: its hub speaks for it');
  const hubs: readonly SimulatedHub[] = Array.from({ length: hubCount }, (_, index) => openHub(index + 1));
  let fleet: FleetLock[] = [];
  let toldTurnedAway = false;

  function hubNumberOf(number: number): number {
    if (options.hubs === undefined) return profileOf(number).hub;
    return options.hubs === 0 ? 0 : ((number - 1) % options.hubs) + 1;
  }

  function openHub(number: number): SimulatedHub {
    const name = `Hub ${number}`;
    const random = createSeededRandom(seed * 0x1000000 + 0xf00000 + number);
    const tell = (line: string): void => options.onLine?.({ number, name }, line);
    const onTurnedAway = (): void => tellOnce(tell);
    const line = { url: options.mqttUrl, topics, reconnect, random, time, tell, onTurnedAway };
    return createHub({ number, name, deviceId: fleetHubId(seed, number), ...line });
  }

  function profileOf(number: number): LockProfile {
    return { ...(profiles[(number - 1) % profiles.length] ?? completeProfile({})), ...overrides };
  }

  /** Appends the lock's number to a name that several locks would share. */
  function nameOf(pattern: string, number: number): string {
    if (pattern.includes('{n}')) return pattern.replaceAll('{n}', String(number));
    const alone = count <= profiles.length && profiles.slice(0, count).filter((profile) => profile.name === pattern).length === 1;
    return alone ? pattern : `${pattern} ${number}`;
  }

  function tellOnce(tell: (line: string) => void): void {
    if (!toldTurnedAway) tell(turnedAwayAdvice);
    toldTurnedAway = true;
  }

  function openLock(number: number): Promise<FleetLock> {
    const profile = profileOf(number);
    const name = nameOf(profile.name, number);
    const deviceId = fleetDeviceId(seed, number);
    const tell = (line: string): void => options.onLine?.({ number, name }, line);
    return createFleetLock({
      number,
      name,
      deviceId,
      profile,
      file: join(options.stateDir, `${deviceId}.json`),
      flush: options.flush ?? true,
      url: options.mqttUrl,
      topics,
      reconnect,
      hub: hubs[hubNumberOf(number) - 1],
      pairs: pair,
      planted: options.plant === undefined ? undefined : plantedFaults[options.plant],
      seed: seed * 0x1000000 + number,
      time,
      tell,
      onTurnedAway: () => tellOnce(tell),
    });
  }

  async function stop(): Promise<void> {
    const stopping = fleet;
    await Promise.all(stopping.map((lock) => lock.stop()));
    await Promise.all(hubs.map((hub) => hub.stop()));
  }

  async function register(): Promise<void> {
    for (const hub of hubs) hub.connect(await registrar.hubKey(hub.handle.mac, hub.handle.deviceId, hub.handle.name));
    const known = await registrar.known();
    const hubIdOf = ({ handle }: FleetLock): DeviceId | undefined => hubs[hubNumberOf(handle.number) - 1]?.handle.deviceId;
    await inTurns(fleet, (lock) => giveKey(registrar, lock, hubIdOf(lock), known, options.renewKeys ?? false), options.registerAtOnce);
  }

  async function start(): Promise<void> {
    try {
      await inTurns(numbers, async (number) => {
        const lock = await openLock(number);
        fleet.push(lock);
      });
      fleet.sort((a, b) => a.handle.number - b.handle.number);
      await (pair ? makeKeys(fleet) : register());
      for (const lock of fleet) lock.connect();
      if (!pair) await allOnline(fleet, startTimeoutMs, time, options.mqttUrl);
    } catch (error) {
      await stop();
      fleet = [];
      throw error;
    }
  }

  return {
    name: 'fleet',
    start,
    stop,
    get locks() {
      return fleet.map((lock) => lock.handle);
    },
    lock(number) {
      const found = fleet[number - 1];
      if (found === undefined) throw new Error(`there is no lock ${number}; they are 1 to ${fleet.length}`);
      return found.handle;
    },
    hubs: hubs.map((hub) => hub.handle),
    hub(number) {
      const found = hubs[number - 1];
      if (found === undefined) throw new Error(`there is no hub ${number}; there are ${hubs.length}`);
      return found.handle;
    },
  };
}

async function allOnline(fleet: readonly FleetLock[], withinMs: number, time: TimeSource, url: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const cancel = time.timer(withinMs, () => {
      const missing = fleet.filter((lock) => !lock.handle.online);
      const why = missing.find((lock) => lock.trouble !== undefined)?.trouble ?? 'no answer to their hello';
      const names = missing.slice(0, 3).map((lock) => lock.handle.name);
      const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : '';
      reject(new Error(`${names.join(', ')}${more} did not come online at ${url} within ${withinMs / 1_000} s: ${why}`));
    });
    Promise.all(fleet.map((lock) => lock.handle.whenOnline())).then(() => {
      cancel();
      resolve();
    }, reject);
  });
}

/** Runs a few jobs at a time. After a failure it starts no more, and rejects once those that run have ended. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>, workers = atOnce): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: workers }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
