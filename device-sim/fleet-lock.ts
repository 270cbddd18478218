// One lock of a fleet, put together from its parts, with everything a person or a test can do to it.

import type { DeviceId, OpenState } from '../src/domain/locks/lock.ts';
import type { Topics } from '../src/drivers/native/topics.ts';
import { type CommandFault, createFaults, type Faults } from './faults.ts';
import type { SimulatedHub } from './hub.ts';
import { createLockConnection, type LockConnection } from './lock-connection.ts';
import { type LockMemory, type MemoryContents, openLockMemory } from './lock-memory.ts';
import { factoryContents, type LockProfile } from './lock-profile.ts';
import { keyFingerprint } from './lock-talk.ts';
import type { Movement } from './movement-log.ts';
import type { Reconnect } from './mqtt-line.ts';
import type { DoorResult } from './reader.ts';
import { createSeededRandom } from './seeded-random.ts';
import { SimulatedLock } from './simulated-lock.ts';
import type { TimeSource } from './time-source.ts';

/** A lock to act on. What is done at the door resolves when it is over: the bolt has moved, or did not. */
export interface LockHandle {
  /** From 1, in the order of the fleet. */
  readonly number: number;
  readonly name: string;
  /** `02:00:01:00:00:01`. */
  readonly mac: string;
  readonly deviceId: DeviceId;
  /** Undefined until the gateway has given one. */
  readonly lockId: number | undefined;
  readonly state: OpenState;
  readonly batteryPercent: number;
  readonly doorOpen: boolean;
  readonly online: boolean;
  /** Connected with a key of its own making, and yet to be confirmed by a person. */
  readonly waiting: boolean;
  /** Of its device key, as the gateway shows it to that person; undefined without a key. */
  readonly keyFingerprint: string | undefined;
  /** Of the connection that is up; undefined without one. */
  readonly session: string | undefined;
  /** The last movements of the bolt, oldest first. */
  readonly movements: readonly Movement[];
  /** By the lock's own clock; undefined while it is not set. */
  readonly clockNow: number | undefined;
  /** What the lock's memory holds now, events not yet acknowledged included. */
  readonly memory: MemoryContents;
  readonly faults: Faults;

  /** The number printed on the card; the reader sees it in its own byte order. */
  swipeCard(cardNumber: string): Promise<DoorResult>;
  enterPasscode(code: string): Promise<DoorResult>;
  turnThumb(): Promise<DoorResult>;
  setPrivacyBolt(out: boolean): void;
  /** False: it is locked and stays shut. */
  openDoor(): boolean;
  closeDoor(): void;
  tamper(): void;
  setBattery(percent: number): void;

  jam(on: boolean): void;
  /** True: commands are neither done nor answered, while the connection stays. */
  setSilent(on: boolean): void;
  /** The next commands meet these faults, one each. */
  script(faults: readonly CommandFault[]): void;
  /** The network (behind a hub: the link to it) breaks at once and stays away until `restoreNetwork`. */
  cutNetwork(): void;
  restoreNetwork(): void;
  /** Half-open: the connection looks alive and carries nothing until `thaw`, which delivers what was held. */
  freeze(): void;
  thaw(): void;
  /** Batteries out: only what is in the memory file survives. */
  powerCut(): void;
  /** Batteries in again: boots from the memory file and connects. */
  powerOn(): Promise<void>;
  /** Resolves when everything so far is in the memory file, flushed. */
  whenSaved(): Promise<void>;
  /** Resolves when the gateway has acknowledged its hello. */
  whenOnline(): Promise<void>;
  /** Resolves when every event so far is acknowledged by the gateway. */
  whenEventsAcknowledged(): Promise<void>;
}

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
  /** The hub that speaks for it; none: it has a line of its own. */
  readonly hub: SimulatedHub | undefined;
  /** It makes its key itself and waits to be confirmed (Protocol 7). */
  readonly pairs: boolean;
  readonly tell: (line: string) => void;
  readonly onTurnedAway: () => void;
}

/** The handle, and what only the fleet does with it. */
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
  const { profile, time, tell } = options;
  const random = createSeededRandom(options.seed);
  const faults = createFaults(profile.faults, random);
  const openMemory = (): Promise<LockMemory> =>
    openLockMemory({
      file: options.file,
      factory: factoryContents(profile),
      eventCapacity: profile.eventCapacity,
      historyCapacity: profile.historyCapacity,
      flush: options.flush,
    });
  let memory = await openMemory();
  let lock = new SimulatedLock({ profile, memory, time, tell });
  let connection: LockConnection | undefined;
  let powered = true;

  function connectionOf(deviceKey: string): LockConnection {
    const { url, topics, deviceId, reconnect, hub, pairs, onTurnedAway } = options;
    if (hub !== undefined) return hub.attach(deviceId, { deviceKey, lock, memory, faults, tell });
    const { keepAliveSeconds } = profile;
    const line = { url, topics, deviceId, deviceKey, keepAliveSeconds, reconnect, onTurnedAway };
    return createLockConnection({ ...line, lock, memory, faults, random, time, pairs, tell });
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
    enterPasscode: (code) => lock.enterPasscode(code),
    turnThumb: () => lock.turnThumb(),
    setPrivacyBolt: (out) => lock.setPrivacyBolt(out),
    openDoor: () => lock.openDoor(),
    closeDoor: () => lock.closeDoor(),
    tamper: () => lock.tamper(),
    setBattery: (percent) => lock.setBattery(percent),
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
      lock = new SimulatedLock({ profile, memory, time, tell });
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
