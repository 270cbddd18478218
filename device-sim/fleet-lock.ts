// One lock of a fleet, built from its parts.

import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { Topics } from '../src/drivers/native/topics.ts';
import { forget, learn, wipe } from './door-memory.ts';
import { createFaults } from './faults.ts';
import type { SimulatedHub } from './hub.ts';
import { createLockConnection, type LockConnection } from './lock-connection.ts';
import type { LockHandle } from './lock-handle.ts';
import { type LockMemory, openLockMemory } from './lock-memory.ts';
import { factoryContents, type LockProfile } from './lock-profile.ts';
import { keyFingerprint } from './lock-talk.ts';
import type { Reconnect } from './mqtt-line.ts';
import type { PlantedFault } from './planted/breach.ts';
import { createSeededRandom } from './seeded-random.ts';
import { SimulatedLock } from './simulated-lock.ts';
import type { TimeSource } from './time-source.ts';

export interface FleetLockOptions {
  readonly number: number;
  readonly name: string;
  readonly deviceId: DeviceId;
  readonly profile: LockProfile;
  readonly file: string;
  readonly flush: boolean;
  readonly url: string;
  readonly topics: Topics;
  readonly reconnect: Reconnect;
  readonly seed: number;
  readonly time: TimeSource;
  /** The hub that speaks for it; undefined: it has an MQTT connection of its own. */
  readonly hub: SimulatedHub | undefined;
  /** It makes its key itself and waits to be confirmed (Protocol 7). */
  readonly pairs: boolean;
  /** A fault of its firmware; none by default. A hub speaks for its locks without it. */
  readonly planted?: PlantedFault | undefined;
  readonly tell: (line: string) => void;
  readonly onTurnedAway: () => void;
}

/** The handle, with what only the fleet does with it. */
export interface FleetLock {
  readonly handle: LockHandle;
  readonly profile: LockProfile;
  readonly memory: LockMemory;
  readonly trouble: string | undefined;
  connect(): void;
  stop(): Promise<void>;
}

/** Opens the lock's memory; connects nothing yet. */
export async function createFleetLock(options: FleetLockOptions): Promise<FleetLock> {
  const { time, tell } = options;
  const breach = options.planted?.breach(time) ?? {};
  const profile = breach.profile?.(options.profile) ?? options.profile;
  const random = breach.random ?? createSeededRandom(options.seed);
  const faults = createFaults(profile.faults, random);
  async function openMemory(): Promise<LockMemory> {
    const { eventCapacity, historyCapacity } = profile;
    const { file, flush } = options;
    const opened = await openLockMemory({ file, factory: factoryContents(profile), eventCapacity, historyCapacity, flush });
    return breach.memory?.(opened) ?? opened;
  }
  let memory = await openMemory();
  const { newSession } = breach;
  const newLock = () =>
    new SimulatedLock({ profile, memory, time, tell, memoryFaults: faults.memory, ...(newSession !== undefined && { newSession }) });
  let lock = newLock();
  let connection: LockConnection | undefined;
  let powered = true;

  function connectionOf(deviceKey: string): LockConnection {
    const { url, topics, deviceId, hub, pairs, onTurnedAway } = options;
    if (hub !== undefined) return hub.attach(deviceId, { deviceKey, lock, memory, faults, tell });
    const { keepAliveSeconds } = profile;
    const { reconnect = options.reconnect } = breach;
    const line = { url, topics, deviceId, deviceKey, keepAliveSeconds, reconnect, onTurnedAway };
    return createLockConnection({ ...line, lock, memory, faults, random, time, pairs, tell, breach });
  }

  function connect(): void {
    const { deviceKey } = memory.contents;
    if (deviceKey === undefined) throw new Error(`${options.name} has no device key yet`);
    connection ??= connectionOf(deviceKey);
    connection.start();
  }

  const handle: LockHandle = {
    number: options.number,
    name: options.name,
    mac: (options.deviceId.match(/../g) ?? []).join(':').toUpperCase(),
    deviceId: options.deviceId,
    get lockId() {
      return memory.contents.lockId;
    },
    get state() {
      return lock.state;
    },
    get batteryPercent() {
      return lock.batteryPercent;
    },
    get doorOpen() {
      return lock.doorOpen;
    },
    get online() {
      return connection?.online ?? false;
    },
    get waiting() {
      return connection?.waiting ?? false;
    },
    get keyFingerprint() {
      const { deviceKey } = memory.contents;
      return deviceKey === undefined ? undefined : keyFingerprint(deviceKey);
    },
    get session() {
      return lock.session;
    },
    get movements() {
      return lock.movements;
    },
    get clockNow() {
      return lock.clockNow;
    },
    get memory() {
      return memory.contents;
    },
    faults,
    swipeCard: (cardNumber) => lock.swipeCard(cardNumber),
    enterPasscode: (code) => lock.enterPasscode(breach.types?.(code) ?? code),
    turnThumb: () => lock.turnThumb(),
    setPrivacyBolt: (out) => lock.setPrivacyBolt(out),
    openDoor: () => lock.openDoor(),
    closeDoor: () => lock.closeDoor(),
    tamper: () => lock.tamper(),
    setBattery: (percent) => lock.setBattery(percent),
    learn: (credential) => learn(memory, credential),
    forget: (key) => forget(memory, key),
    async wipe() {
      // First of all nobody speaks with it any more: no command of before reaches the new memory.
      connection?.cut();
      wipe(memory);
      await memory.saved();
      tell('its memory is new');
      connection?.restore();
    },
    jam: (on) => lock.jam(on),
    setSilent(on) {
      faults.silent = on;
      tell(on ? 'does not answer any more' : 'answers again');
      if (!on) connection?.answersAgain();
    },
    script: (ordered) => faults.script(ordered),
    cutNetwork: () => connection?.cut(),
    restoreNetwork: () => connection?.restore(),
    freeze: () => connection?.freeze(),
    thaw: () => connection?.thaw(),
    powerCut() {
      if (!powered) return;
      powered = false;
      lock.halt();
      connection?.cut();
      tell('power is cut');
    },
    async powerOn() {
      if (powered) return;
      powered = true;
      await memory.halt();
      memory = await openMemory();
      lock = newLock();
      connection = undefined;
      tell('power is back');
      connect();
    },
    whenSaved: () => memory.saved(),
    whenOnline: () => connection?.whenOnline() ?? Promise.reject(new Error(`${options.name} has no connection`)),
    whenEventsAcknowledged: () => memory.whenAcknowledged(),
  };

  return {
    handle,
    profile,
    get memory() {
      return memory;
    },
    get trouble() {
      return connection?.trouble;
    },
    connect,
    async stop() {
      await connection?.stop();
      lock.halt();
      if (powered) await memory.saved().catch((error: Error) => tell(`the memory could not be written: ${error.message}`));
      await memory.halt();
    },
  };
}
