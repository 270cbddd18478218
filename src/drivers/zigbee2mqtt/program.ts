// Zigbee2MQTT on one bridge: its locks by IEEE address, their topics by friendly name, which may change.
import type { AnnouncedLock, BridgeEffect, BridgeProtocol } from '../bridge-protocol.ts';
import type { DeviceMessage, Effect } from '../device-protocol.ts';
import { createZigbeeLock, type ZigbeeLock } from './lock.ts';
import { readCacheState, readDevices, readFailure, readOnline, readReport, type ZigbeeDevice } from './messages.ts';

/** A message of a lock, or a line of the log, is never so long. */
const maxMessageBytes = 65_536;

interface LockTopic {
  readonly ieee: string;
  readonly isAvailability: boolean;
}

/** @param base where its topics begin, without a slash at the end */
export function createZigbeeProgram(base: string): BridgeProtocol {
  const own = {
    state: `${base}/bridge/state`,
    devices: `${base}/bridge/devices`,
    info: `${base}/bridge/info`,
    log: `${base}/bridge/logging`,
  };
  let devices: ReadonlyMap<string, ZigbeeDevice> = new Map();
  let byName: ReadonlyMap<string, string> = new Map();
  /** When each device was listed first. */
  const since = new Map<string, number>();
  const locks = new Map<string, ZigbeeLock>();
  /** Of the locks that are followed. */
  let topics: ReadonlyMap<string, LockTopic> = new Map();
  let isOnline = false;
  let isCached: boolean | undefined;

  const of = (ieee: string, effects: readonly Effect[]): BridgeEffect[] =>
    effects.map((effect) => ({ kind: 'lock', address: ieee, effect }));
  const ofAll = (say: (lock: ZigbeeLock, ieee: string) => readonly Effect[]): BridgeEffect[] =>
    [...locks].flatMap(([ieee, lock]) => of(ieee, say(lock, ieee)));

  /** The topics of the locks that are followed, as their names are now. */
  function listen(): BridgeEffect[] {
    const wanted = new Map<string, LockTopic>();
    for (const ieee of locks.keys()) {
      const device = devices.get(ieee);
      if (device === undefined || device.refused !== null) continue;
      wanted.set(`${base}/${device.name}/availability`, { ieee, isAvailability: true });
      wanted.set(`${base}/${device.name}`, { ieee, isAvailability: false });
    }
    const fresh = [...wanted.keys()].filter((topic) => !topics.has(topic));
    const over = [...topics.keys()].filter((topic) => !wanted.has(topic));
    topics = wanted;
    return [
      ...(over.length > 0 ? [{ kind: 'unsubscribe', filters: over } as const] : []),
      ...(fresh.length > 0 ? [{ kind: 'subscribe', filters: fresh } as const] : []),
    ];
  }

  function announcementOf({ ieee, name, make, model, refused }: ZigbeeDevice): AnnouncedLock {
    const topic = `${base}/${name}`;
    const driver = { kind: 'zigbee2mqtt', ieee };
    return { driver, address: ieee, name, make, model, topic, commandTopic: `${topic}/set`, since: since.get(ieee) ?? 0, refused };
  }

  function heardDevices(payload: Buffer, now: number): BridgeEffect[] {
    const list = readDevices(payload);
    if (list === undefined) return [];
    devices = new Map(list.map((device) => [device.ieee, device]));
    byName = new Map(list.map(({ ieee, name }) => [name, ieee]));
    for (const { ieee } of list) since.set(ieee, since.get(ieee) ?? now);
    for (const ieee of since.keys()) if (!devices.has(ieee)) since.delete(ieee);
    return [...listen(), ...ofAll((lock, ieee) => lock.describe(devices.get(ieee)))];
  }

  function heardProgram(payload: Buffer): BridgeEffect[] {
    const online = readOnline(payload);
    if (online === undefined) return [];
    isOnline = online;
    return [{ kind: 'program', online, reason: online ? '' : 'Zigbee2MQTT does not run' }, ...ofAll((lock) => lock.programIs(online))];
  }

  function heardConfig(payload: Buffer): BridgeEffect[] {
    const said = readCacheState(payload);
    if (said === undefined) return [];
    isCached = said;
    return ofAll((lock) => lock.cacheStateIs(said));
  }

  function heardFailure(payload: Buffer, now: number): BridgeEffect[] {
    const failure = readFailure(payload);
    if (failure === undefined) return [];
    const ieee = byName.get(failure.name) ?? failure.name;
    return of(ieee, locks.get(ieee)?.failed(failure, now) ?? []);
  }

  function heardLock({ topic, payload, isHistory }: DeviceMessage, now: number): BridgeEffect[] {
    const found = topics.get(topic);
    const lock = found && locks.get(found.ieee);
    if (found === undefined || lock === undefined) return [];
    if (found.isAvailability) {
      const online = readOnline(payload);
      return online === undefined ? [] : of(found.ieee, lock.availabilityIs(online));
    }
    const report = readReport(payload, devices.get(found.ieee)?.hasLockState === true);
    return report === undefined ? [] : of(found.ieee, lock.report(report, isHistory, now));
  }

  return {
    begin: () => [
      { kind: 'program', online: false, reason: 'Zigbee2MQTT has not said yet that it runs' },
      { kind: 'subscribe', filters: Object.values(own) },
    ],

    follow(addresses) {
      for (const ieee of locks.keys()) if (!addresses.has(ieee)) locks.delete(ieee);
      const effects: BridgeEffect[] = [];
      for (const ieee of addresses) {
        if (locks.has(ieee)) continue;
        const lock = createZigbeeLock(base, ieee);
        locks.set(ieee, lock);
        effects.push(...of(ieee, [...lock.cacheStateIs(isCached), ...lock.programIs(isOnline), ...lock.describe(devices.get(ieee))]));
      }
      return [...listen(), ...effects];
    },

    hear(message, now) {
      const { topic, payload, isHistory } = message;
      if (topic === own.devices) return heardDevices(payload, now);
      if (topic === own.info) return heardConfig(payload);
      if (payload.length > maxMessageBytes) return [];
      if (topic === own.state) return heardProgram(payload);
      if (topic === own.log) return isHistory ? [] : heardFailure(payload, now);
      return heardLock(message, now);
    },

    announced: () => [...devices.values()].map((device) => announcementOf(device)),

    command(address, command, now) {
      const begun = locks.get(address)?.command(command, now) ?? notFollowed;
      return 'refuse' in begun ? begun : of(address, begun);
    },
    expire: (address, now) => of(address, locks.get(address)?.expire(now) ?? []),
    wake: (address) => of(address, locks.get(address)?.wake() ?? []),
  };
}

const notFollowed = { refuse: 'failed', message: 'Zigbee2MQTT does not have it' } as const;
