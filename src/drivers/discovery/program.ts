// All that announces itself below one prefix of a broker: its locks by unique id, and the batteries of their devices.
import type { AnnouncedLock, BridgeEffect, BridgeProtocol } from '../bridge-protocol.ts';
import type { Effect } from '../device-protocol.ts';
import { type BatterySensor, type DeviceAnnouncement, type LockEntity, readAnnouncement } from './announcement.ts';
import { createDiscoveredLock, type DiscoveredLock } from './lock.ts';

/** An announcement that is longer is as if it had not come; one of a whole device may be longer. */
const maxBytes = { lock: 65_536, sensor: 65_536, device: 262_144 } as const;
/** Locks and batteries that are remembered, and bytes of their announcements; what is more is passed over. */
const atMost = { parts: 4_096, bytes: 33_554_432 } as const;
const maxStateBytes = 65_536;
/** Sensors of one device that count as its batteries. */
const maxBatteries = 4;

/** @param prefix where announcements begin, without a slash at the end */
export function createDiscoveryProgram(prefix: string): BridgeProtocol {
  const announcements = new Map<string, Remembered>();
  /** The topics of the announcements of a lock, by unique id, and of batteries, by the id of their device. The first one holds. */
  const ofLock = createIndex();
  const ofDevice = createIndex();
  /** The topics of the announcements of locks, by the id of their device. */
  const locksOfDevice = createIndex();
  const remembered = { parts: 0, bytes: 0 };
  const locks = new Map<string, DiscoveredLock>();
  /** The unique ids of the locks that listen to a topic, and to what each listens. */
  const listeners = createIndex();
  const listens = new Map<string, readonly string[]>();

  function announcedAs(entity: LockEntity, configTopic: string, since: number): AnnouncedLock[] {
    const { uniqueId, name, make, model, stateTopic: topic, commandTopic, refused } = entity;
    const [first] = ofLock.of(uniqueId);
    if (entity.isOurs || first !== configTopic) return [];
    return [{ driver: { kind: 'discovery', uniqueId }, address: uniqueId, name, make, model, topic, commandTopic, since, refused }];
  }

  const of = (uniqueId: string, effects: readonly Effect[]): BridgeEffect[] =>
    effects.map((effect) => ({ kind: 'lock', address: uniqueId, effect }));

  function entityOf(uniqueId: string): LockEntity | undefined {
    const [topic = ''] = ofLock.of(uniqueId);
    return announcements.get(topic)?.locks.find((entity) => entity.uniqueId === uniqueId);
  }
  function batteriesOf({ deviceIds }: LockEntity): readonly BatterySensor[] {
    const topics = new Set(deviceIds.flatMap((id) => [...ofDevice.of(id)]));
    const sensors = [...topics].flatMap((topic) => announcements.get(topic)?.batteries ?? []);
    return sensors.filter((sensor) => sensor.deviceIds.some((id) => deviceIds.includes(id))).slice(0, maxBatteries);
  }

  /** Followed locks as they are announced now, and what is to be heard of them. */
  function describe(uniqueIds: Iterable<string>): BridgeEffect[] {
    return [...uniqueIds].flatMap((uniqueId) => {
      const lock = locks.get(uniqueId);
      if (lock === undefined) return [];
      const entity = entityOf(uniqueId);
      const effects = of(uniqueId, lock.describe(entity, entity === undefined ? [] : batteriesOf(entity)));
      return [...effects, ...listen(uniqueId, lock.topics())];
    });
  }

  function listen(uniqueId: string, wanted: readonly string[]): BridgeEffect[] {
    const before = listens.get(uniqueId) ?? [];
    const over = before.filter((topic) => !wanted.includes(topic) && listeners.remove(topic, uniqueId));
    const fresh = wanted.filter((topic) => !before.includes(topic));
    for (const topic of fresh) listeners.add(topic, uniqueId);
    if (wanted.length > 0) listens.set(uniqueId, wanted);
    else listens.delete(uniqueId);
    return [
      ...(over.length > 0 ? [{ kind: 'unsubscribe', filters: over } as const] : []),
      ...(fresh.length > 0 ? [{ kind: 'subscribe', filters: fresh } as const] : []),
    ];
  }

  function remember(topic: string, now: Remembered | undefined): void {
    const before = announcements.get(topic);
    for (const { uniqueId, deviceIds } of before?.locks ?? []) {
      ofLock.remove(uniqueId, topic);
      for (const id of deviceIds) locksOfDevice.remove(id, topic);
    }
    for (const { deviceIds } of before?.batteries ?? []) for (const id of deviceIds) ofDevice.remove(id, topic);
    if (now === undefined) announcements.delete(topic);
    else announcements.set(topic, now);
    remembered.parts += partsOf(now) - partsOf(before);
    remembered.bytes += (now?.bytes ?? 0) - (before?.bytes ?? 0);
    for (const { uniqueId, deviceIds } of now?.locks ?? []) {
      ofLock.add(uniqueId, topic);
      for (const id of deviceIds) locksOfDevice.add(id, topic);
    }
    for (const { deviceIds } of now?.batteries ?? []) for (const id of deviceIds) ofDevice.add(id, topic);
  }

  function heardAnnouncement(topic: string, component: keyof typeof maxBytes, payload: Buffer, now: number): BridgeEffect[] {
    const before = announcements.get(topic);
    const read = payload.length > maxBytes[component] ? undefined : readAnnouncement(component, payload);
    const isRoom =
      remembered.parts - partsOf(before) + partsOf(read) <= atMost.parts &&
      remembered.bytes - (before?.bytes ?? 0) + payload.length <= atMost.bytes;
    const isSomething = read !== undefined && partsOf(read) > 0 && isRoom;
    if (!isSomething && before === undefined) return [];
    remember(topic, isSomething ? { ...read, since: before?.since ?? now, bytes: payload.length } : undefined);
    const both = [before, announcements.get(topic)];
    const changed = new Set(both.flatMap((one) => one?.locks.map(({ uniqueId }) => uniqueId) ?? []));
    const devices = new Set(both.flatMap((one) => one?.batteries.flatMap(({ deviceIds }) => deviceIds) ?? []));
    for (const at of new Set([...devices].flatMap((id) => [...locksOfDevice.of(id)])))
      for (const { uniqueId } of announcements.get(at)?.locks ?? []) changed.add(uniqueId);
    return describe(changed);
  }

  return {
    begin: () => [
      { kind: 'program', online: true, reason: '' },
      {
        kind: 'subscribe',
        filters: Object.keys(maxBytes).flatMap((component) => [`${prefix}/${component}/+/config`, `${prefix}/${component}/+/+/config`]),
      },
    ],

    follow(addresses) {
      const gone = [...locks.keys()].filter((uniqueId) => !addresses.has(uniqueId));
      for (const uniqueId of gone) locks.delete(uniqueId);
      const added = [...addresses].filter((uniqueId) => !locks.has(uniqueId));
      for (const uniqueId of added) locks.set(uniqueId, createDiscoveredLock());
      return [...gone.flatMap((uniqueId) => listen(uniqueId, [])), ...describe(added)];
    },

    hear({ topic, payload, isHistory }, now) {
      const component = componentOf(topic, prefix);
      if (component !== undefined) return heardAnnouncement(topic, component, payload, now);
      if (payload.length > maxStateBytes) return [];
      const ids = [...listeners.of(topic)];
      const text = ids.length > 0 ? payload.toString() : '';
      return ids.flatMap((uniqueId) => of(uniqueId, locks.get(uniqueId)?.hear(topic, text, isHistory) ?? []));
    },

    announced: () =>
      [...announcements].flatMap(([topic, { locks: given, since }]) => given.flatMap((entity) => announcedAs(entity, topic, since))),

    command(address, command) {
      const begun = locks.get(address)?.command(command) ?? notFollowed;
      return 'refuse' in begun ? begun : of(address, begun);
    },
    expire: (address) => of(address, locks.get(address)?.expire() ?? []),
    wake: () => [],
  };
}

interface Remembered extends DeviceAnnouncement {
  readonly since: number;
  readonly bytes: number;
}

function partsOf(announcement: DeviceAnnouncement | undefined): number {
  return announcement === undefined ? 0 : announcement.locks.length + announcement.batteries.length;
}

const notFollowed = { refuse: 'failed', message: 'nothing announces it' } as const;

function componentOf(topic: string, prefix: string): keyof typeof maxBytes | undefined {
  if (!topic.startsWith(`${prefix}/`) || !topic.endsWith('/config')) return undefined;
  const component = topic.slice(prefix.length + 1, topic.indexOf('/', prefix.length + 1));
  return component === 'lock' || component === 'sensor' || component === 'device' ? component : undefined;
}

/** Values by key; a key without values is not remembered. */
function createIndex() {
  const sets = new Map<string, Set<string>>();
  return {
    of: (key: string): ReadonlySet<string> => sets.get(key) ?? none,
    add(key: string, value: string): void {
      const set = sets.get(key);
      if (set === undefined) sets.set(key, new Set([value]));
      else set.add(value);
    },
    /** Whether the key has no values now. */
    remove(key: string, value: string): boolean {
      const set = sets.get(key);
      set?.delete(value);
      if (set?.size === 0) sets.delete(key);
      return !sets.has(key);
    },
  };
}
const none: ReadonlySet<string> = new Set();
