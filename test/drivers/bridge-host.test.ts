// What a bridge makes of messages, commands and interruptions, over a connection that a test holds in its hands.
import { describe, expect, test } from '@jest/globals';
import { createEventBus } from '../../src/domain/event-bus.ts';
import type { Lock, LockId } from '../../src/domain/locks/lock.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import type { BridgeEvents } from '../../src/drivers/bridge-connection.ts';
import { createBridgeParts } from '../../src/drivers/bridge-host.ts';
import { discoveryKind } from '../../src/drivers/discovery/kind.ts';
import { createEventRecords } from '../../src/drivers/event-records.ts';
import { zigbee2mqttKind } from '../../src/drivers/zigbee2mqtt/kind.ts';
import { codeOf, someLock } from '../support/domain.ts';
import { createMemoryLocks } from '../support/memory-stores.ts';
import { createFakeLog, createFakeReports, secrets } from '../support/mqtt-fakes.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

const ieee = '0x000d6f0012bc896e';
const lockId = 7 as LockId;
const zigbeeLock = (id = lockId, address = ieee): Lock =>
  someLock({
    lockId: id,
    deviceId: `02e70059d8${String(id).padStart(2, '0')}` as Lock['deviceId'],
    driver: { kind: 'zigbee2mqtt', address: `house/${address}`, options: { bridge: 'house', ieee: address }, keyHash: null },
  });
const features = [
  { name: 'state', property: 'state', access: 7 },
  { name: 'lock_state', property: 'lock_state', access: 1 },
];
const deviceAt = (address: string, name: string) => ({
  ieee_address: address,
  friendly_name: name,
  definition: { model: 'YRD226HA2619', vendor: 'Yale', exposes: [{ type: 'lock', features }] },
});

/** A gateway with one bridge, `house`, on which Zigbee2MQTT and discovery are. */
async function setUp(locks: readonly Lock[] = [zigbeeLock()], strangers: boolean | undefined = false) {
  const clock = createSettableClock();
  const log = createFakeLog();
  const reports = createFakeReports();
  const events = createEventBus(() => undefined);
  const changed: number[] = [];
  events.subscribe('capabilities-changed', ({ lockId: id }) => changed.push(id));
  const { locks: store } = createMemoryLocks(locks, events.emit);
  const said: { topic: string; payload: string; ttlMs: number | undefined }[] = [];
  const filters = new Set<string>();
  let broker: BridgeEvents | undefined;
  let seq = 0;
  const parts = createBridgeParts({
    ...{ clock, log, reports, events, secrets, locks: store, kinds: [zigbee2mqttKind, discoveryKind] },
    records: createEventRecords({
      ...{ clock, log, reports },
      numberEvents: (_id, given) => ({ epoch: 'gw', events: given.map((event) => ({ ...event, seq: ++seq })) }),
      records: { progress: () => ({ highest: 0, gaps: [], isBeginning: false }) },
      emit: () => undefined,
    }),
    captures: { isOn: () => false, heard: () => undefined },
    bridges: [
      {
        ...{ name: 'house', url: 'mqtts://broker.example.org', hasLogin: true },
        programs: [
          { kind: 'zigbee2mqtt', settings: { base: 'zigbee2mqtt' } },
          { kind: 'discovery', settings: { prefix: 'homeassistant' } },
        ],
      },
    ],
    open: (_bridge, given) => {
      broker = given;
      return {
        start: () => undefined,
        stop: async () => undefined,
        publish: (topic, payload, ttlMs) => said.push({ topic, payload, ttlMs }) > 0,
        subscribe(some) {
          for (const filter of some) filters.add(filter);
        },
        unsubscribe(some) {
          for (const filter of some) filters.delete(filter);
        },
        admitsStrangers: async () => strangers,
      };
    },
  });
  await parts.part.start();
  const [zigbee, discovery] = parts.drivers;
  if (broker === undefined || zigbee === undefined || discovery === undefined) throw new Error('there is no bridge');
  const given = broker;
  const hear = (topic: string, payload: unknown, isRetained = false) =>
    given.onMessage(topic, Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)), isRetained);
  /** The broker is there, Zigbee2MQTT runs on it without a cache and has the locks. */
  const connect = (...devices: object[]) => {
    given.onUp();
    hear('zigbee2mqtt/bridge/state', { state: 'online' }, true);
    hear('zigbee2mqtt/bridge/info', { config: { advanced: { cache_state: false } } }, true);
    hear('zigbee2mqtt/bridge/devices', devices.length > 0 ? devices : [deviceAt(ieee, 'Front')], true);
  };
  const unlock = (ttlMs = 10_000) => zigbee.session(lockId)?.send({ op: 'unlock' }, 'id' as CommandId, ttlMs);
  return { ...parts, clock, log, reports, store, said, filters, broker: given, hear, connect, unlock, zigbee, discovery, changed };
}

const kindsOf = (told: readonly unknown[]) => told.map((line) => (line as readonly [string])[0]);

describe('the locks of a bridge', () => {
  test('are online while the bridge is connected, its program runs and has them; an unlock carries the time that is left', async () => {
    const { connect, reports, said, unlock, hear, zigbee, broker } = await setUp();
    expect(zigbee.session(lockId)).toBeUndefined();
    connect();
    expect(zigbee.session(lockId)).toBeDefined();
    const outcome = unlock(9_000);
    expect(said).toEqual([{ topic: `zigbee2mqtt/${ieee}/set`, payload: '{"state":"UNLOCK"}', ttlMs: 9_000 }]);
    hear('zigbee2mqtt/Front', { lock_state: 'unlocked' });
    expect(await outcome).toEqual({ kind: 'ok', state: 'unlocked' });
    broker.onDown('it ended the connection');
    expect(zigbee.session(lockId)).toBeUndefined();
    expect(kindsOf(reports.told)).toEqual(['hello', 'reply', 'events', 'offline']);
  });

  test('a command under way is lost when the bridge goes away, and nothing of it is said on the next connection', async () => {
    const { connect, said, unlock, broker } = await setUp();
    connect();
    const outcome = unlock();
    broker.onDown('it ended the connection');
    expect(await outcome).toEqual({ kind: 'lost' });
    said.splice(0);
    connect();
    expect(said).toEqual([]);
  });

  test('without an answer before the deadline a command is no-reply, and what comes later does not answer it', async () => {
    const { connect, clock, unlock, hear, reports } = await setUp();
    connect();
    const outcome = unlock(4_000);
    await clock.advance(4_000);
    expect(await outcome).toEqual({ kind: 'no-reply' });
    hear('zigbee2mqtt/Front', { lock_state: 'unlocked' });
    expect(kindsOf(reports.told)).toEqual(['hello', 'state']);
  });

  test('what is retained never answers a command', async () => {
    const { connect, clock, unlock, hear } = await setUp();
    connect();
    const outcome = unlock(4_000);
    hear('zigbee2mqtt/Front', { lock_state: 'unlocked', action: 'unlock', action_source_name: 'rf' }, true);
    await clock.advance(4_000);
    expect(await outcome).toEqual({ kind: 'no-reply' });
  });

  test('a lock that does not answer is away until it is heard, or for five minutes', async () => {
    const { connect, clock, hear, zigbee } = await setUp();
    connect();
    zigbee.disconnect(lockId, 'no answer');
    expect(zigbee.session(lockId)).toBeUndefined();
    hear('zigbee2mqtt/Front', { lock_state: 'locked' });
    expect(zigbee.session(lockId)).toBeDefined();
    zigbee.disconnect(lockId, 'no answer');
    await clock.advance(299_999);
    expect(zigbee.session(lockId)).toBeUndefined();
    await clock.advance(1);
    expect(zigbee.session(lockId)).toBeDefined();
  });

  test('a lock that is registered or removed while the bridge is connected is followed from then on, or no longer', async () => {
    const { connect, store, filters, zigbee } = await setUp([]);
    connect();
    expect(filters).not.toContain('zigbee2mqtt/Front');
    await store.add(zigbeeLock());
    expect(zigbee.session(lockId)).toBeDefined();
    expect(filters).toContain('zigbee2mqtt/Front');
    await store.remove(lockId);
    expect(zigbee.session(lockId)).toBeUndefined();
    expect(filters).not.toContain('zigbee2mqtt/Front');
  });

  test('a message goes to the programs that asked for its topic, and to no lock besides its own', async () => {
    const other = '0x000d6f0012bc8970';
    const { connect, hear, reports } = await setUp([zigbeeLock(), zigbeeLock(8 as LockId, other)]);
    connect(deviceAt(ieee, 'Front'), deviceAt(other, 'Back'));
    reports.told.splice(0);
    hear('zigbee2mqtt/Front', { lock_state: 'locked' });
    hear('zigbee2mqtt/Elsewhere', { lock_state: 'locked' });
    expect(reports.told).toEqual([['state', lockId, expect.objectContaining({ state: 'locked' })]]);
  });

  test('more messages than a bridge may bring are left out, and the log says so once', async () => {
    const { connect, hear, log, clock, reports } = await setUp();
    connect();
    for (let n = 0; n < 60_000; n++) hear('zigbee2mqtt/bridge/logging', '{}');
    reports.told.splice(0);
    hear('zigbee2mqtt/Front', { lock_state: 'locked' });
    expect(reports.told).toEqual([]);
    expect(log.lines.filter(({ fields }) => (fields as { code?: string }).code === 'bridge-flooded')).toHaveLength(1);
    await clock.advance(1_000);
    hear('zigbee2mqtt/Front', { lock_state: 'locked' });
    expect(reports.told).toHaveLength(1);
  });

  test('messages that take more work than a bridge may cause are left out, however few they are', async () => {
    const { connect, hear, log, clock, reports } = await setUp();
    connect();
    const { state } = reports;
    reports.state = (...given) => {
      clock.block(5_000);
      state(...given);
    };
    for (let n = 0; n < 20; n++) hear('zigbee2mqtt/Front', { lock_state: n % 2 === 0 ? 'locked' : 'unlocked' });
    // Each counts as one second, for the process may have stood; in the five that it took, 1,250 ms were given back.
    expect(kindsOf(reports.told).filter((kind) => kind === 'state')).toHaveLength(20);
    reports.state = (...given) => {
      clock.block(500);
      state(...given);
    };
    for (let n = 0; n < 40; n++) hear('zigbee2mqtt/Front', { lock_state: n % 2 === 0 ? 'locked' : 'unlocked' });
    expect(kindsOf(reports.told).filter((kind) => kind === 'state').length).toBeLessThan(50);
    expect(log.lines.filter(({ fields }) => (fields as { code?: string }).code === 'bridge-flooded')).toHaveLength(1);
    await clock.advance(2_000);
    reports.told.splice(0);
    hear('zigbee2mqtt/Front', { lock_state: 'locked' });
    expect(reports.told).toHaveLength(1);
  });
});

describe('what is said of a bridge', () => {
  test('its state, since when, why not, its programs and how many locks it has', async () => {
    const { bridges, broker, connect, clock } = await setUp();
    const programs = (online: boolean) => [
      { kind: 'zigbee2mqtt', settings: { base: 'zigbee2mqtt' }, online },
      { kind: 'discovery', settings: { prefix: 'homeassistant' }, online },
    ];
    const since = clock.now();
    await clock.advance(1_000);
    broker.onDown('nothing answers at its host and port');
    const facts = { name: 'house', url: 'mqtts://broker.example.org', locks: 1, admitsStrangers: null };
    const reason = 'nothing answers at its host and port';
    expect(bridges.list()).toEqual([{ ...facts, connected: false, since, reason, drivers: programs(false) }]);
    await clock.advance(1_000);
    connect();
    expect(bridges.list()).toEqual([{ ...facts, connected: true, since: clock.now(), reason: '', drivers: programs(true) }]);
    await settled();
    expect(bridges.list()).toMatchObject([{ admitsStrangers: false }]);
  });

  test('a broker that lets strangers subscribe is a warning on each of its locks', async () => {
    const { connect, zigbee, changed, log } = await setUp([zigbeeLock()], true);
    const lock = zigbeeLock();
    expect(zigbee.capabilities(lock)).toMatchObject({ encrypted: true, warnings: [], query: true });
    connect();
    changed.splice(0);
    await settled();
    expect(zigbee.capabilities(lock).warnings).toEqual(['open-broker']);
    expect(changed).toEqual([lockId]);
    expect(log.lines.map(({ fields }) => (fields as { code?: string }).code)).toContain('bridge-open');
  });

  const announce = { uniq_id: 'door', name: 'A', dev: { mf: 'ESPHome', mdl: 'strike' }, cmd_t: 'door/set', stat_t: 'door/state' };

  test('what is announced and not registered: by name, without doubles and loops, at most 256', async () => {
    const { connect, hear, bridges } = await setUp([]);
    connect();
    hear('homeassistant/lock/door/config', announce, true);
    hear('homeassistant/lock/double/config', { ...announce, uniq_id: 'd', cmd_t: 'zigbee2mqtt/Front/set' }, true);
    hear('homeassistant/lock/loop/config', { ...announce, uniq_id: 'latchd_7' }, true);
    expect(bridges.announced()).toMatchObject([
      {
        ...{ driver: { kind: 'discovery', bridge: 'house', uniqueId: 'door' }, address: 'house: door/state', name: 'A' },
        ...{ make: 'ESPHome', model: 'strike', connected: true, refused: null },
      },
      { driver: { kind: 'zigbee2mqtt', bridge: 'house', ieee }, address: 'house: zigbee2mqtt/Front', name: 'Front', make: 'Yale' },
    ]);
    const [first] = bridges.announced();
    expect(first && bridges.announcedAs(first.deviceId)).toEqual(first);
    for (let n = 0; n < 300; n++) hear(`homeassistant/lock/n${n}/config`, { ...announce, uniq_id: `n${n}` }, true);
    expect(bridges.announced()).toHaveLength(256);
  });

  test('a registered lock is announced no more, and is so again when it is removed', async () => {
    const { connect, bridges, store } = await setUp();
    connect();
    expect(bridges.announced()).toEqual([]);
    await store.remove(lockId);
    expect(bridges.announced()).toMatchObject([{ name: 'Front' }]);
  });

  test('a registration has the deviceId of its kind and address, and needs a bridge that has the kind', async () => {
    const { zigbee, discovery } = await setUp();
    const device = zigbee.describe?.({ bridge: 'house', ieee });
    expect(device).toEqual({ deviceId: '02e70059d86b', address: `house/${ieee}`, options: { bridge: 'house', ieee } });
    expect(discovery.describe?.({ bridge: 'house', uniqueId: '2FFF94F4_lock' }).address).toBe('house/2FFF94F4_lock');
    expect(await codeOf(() => zigbee.describe?.({ bridge: 'barn', ieee }))).toBe('invalid-parameter');
    expect(await codeOf(() => zigbee.describe?.({ bridge: 'house' }))).toBe('invalid-parameter');
    expect(zigbee.login).toBeUndefined();
  });
});
