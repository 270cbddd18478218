import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFleet, type Fleet, type FleetOptions, fleetDeviceId, fleetHubId } from '../../device-sim/fleet.ts';
import { parseFleetFile } from '../../device-sim/fleet-file.ts';
import { type FakeGateway, startFakeGateway } from './support/fake-gateway.ts';
import { type ListeningBroker, startListeningBroker } from './support/listening-broker.ts';

describe('a fleet', () => {
  let stateDir: string;
  let gateway: FakeGateway;
  let broker: ListeningBroker;
  let fleets: Fleet[];

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'fleet-'));
    gateway = await startFakeGateway('admin-token');
    broker = await startListeningBroker();
    broker.admit((deviceId, key) => gateway.keys.get(deviceId) === key);
    fleets = [];
  });

  afterEach(async () => {
    for (const fleet of fleets) await fleet.stop();
    await broker.stop();
    await gateway.stop();
    await rm(stateDir, { recursive: true });
  });

  function make(options: Partial<FleetOptions> = {}): Fleet {
    const fleet = createFleet({
      gatewayUrl: gateway.url,
      mqttUrl: broker.url,
      token: 'admin-token',
      stateDir,
      startTimeoutMs: 5_000,
      reconnect: { minMs: 10, maxMs: 50 },
      profile: { boltTravelMs: 5 },
      ...options,
    });
    fleets.push(fleet);
    return fleet;
  }

  it('registers its locks with locally administered addresses and is online when start resolves (HTTP API 8.1)', async () => {
    const fleet = make({ locks: 3, seed: 7 });
    await fleet.start();
    expect(gateway.registrations.map(({ lockMac }) => lockMac).sort()).toEqual([
      '02:00:07:00:00:01',
      '02:00:07:00:00:02',
      '02:00:07:00:00:03',
    ]);
    expect(fleet.locks.map(({ name, online, lockId }) => ({ name, online, known: lockId !== undefined }))).toEqual(
      [1, 2, 3].map((n) => ({ name: `Lock ${n}`, online: true, known: true })),
    );
    expect((await readdir(stateDir)).sort()).toEqual([1, 2, 3].map((n) => `${fleetDeviceId(7, n)}.json`));
  });

  it('comes back with the keys of its memory, without a new registration', async () => {
    const first = make({ locks: 2 });
    await first.start();
    await first.stop();
    const second = make({ locks: 2 });
    await second.start();
    expect(gateway.registrations).toHaveLength(2);
    expect(gateway.requests.filter((request) => request.endsWith('/key'))).toEqual([]);
  });

  it('asks for a new key when the lock is registered and its memory is gone (HTTP API 8.1)', async () => {
    const first = make();
    await first.start();
    await first.stop();
    const second = make({ stateDir: join(stateDir, 'other') });
    await second.start();
    expect(gateway.requests).toContain('POST /api/v1/gateway/locks/1/key');
    expect(second.lock(1).online).toBe(true);
  });

  it('does not start without a lock whose memory is damaged', async () => {
    await writeFile(join(stateDir, `${fleetDeviceId(1, 2)}.json`), '{');
    const fleet = make({ locks: 3 });
    await expect(fleet.start()).rejects.toThrow(/020001000002\.json is damaged/);
    expect(fleet.locks).toEqual([]);
  });

  it('gives each lock a name of its own, and goes round the profiles', async () => {
    const profiles = parseFleetFile('locks: [{name: Gate}, {name: "Room {n}"}]', 'f');
    const fleet = make({ profiles, locks: 3 });
    await fleet.start();
    expect(fleet.locks.map(({ name }) => name)).toEqual(['Gate 1', 'Room 2', 'Gate 3']);
  });

  it('says what is wrong when the token is refused', async () => {
    await expect(make({ token: 'stolen' }).start()).rejects.toThrow('the token is not valid (401)');
  });

  it('says what is wrong when the gateway cannot be reached', async () => {
    await expect(make({ gatewayUrl: 'http://127.0.0.1:9' }).start()).rejects.toThrow(/127\.0\.0\.1:9 cannot be reached/);
  });

  it('says which locks did not come online, and why', async () => {
    broker.admit(() => false);
    await expect(make({ startTimeoutMs: 300 }).start()).rejects.toThrow(/Lock 1 did not come online .*: Connection refused/);
  });

  it('says once why its locks are not let in, asks less and less often, and comes in when there is room', async () => {
    let open = false;
    let asked = 0;
    const { hostname, port } = new URL(broker.url);
    const door = createServer((near) => {
      asked++;
      near.on('error', () => undefined);
      if (!open) near.destroy();
      else near.pipe(connect(Number(port), hostname)).pipe(near);
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const lines: string[] = [];
    const mqttUrl = `mqtt://127.0.0.1:${(door.address() as { port: number }).port}`;
    const reconnect = { minMs: 20, maxMs: 40, turnedAwayMs: 2_000 };
    const fleet = make({ locks: 5, mqttUrl, reconnect, onLine: (_lock, line) => void lines.push(line) });
    const started = fleet.start();
    await until(() => asked === 15);
    const since = performance.now();
    await until(() => asked === 25);
    expect(performance.now() - since).toBeGreaterThan(80);
    expect(lines.filter((line) => line.includes('no connection'))).toEqual([expect.stringContaining('mqtt.connectionsPerAddress')]);
    open = true;
    await started;
    await fleet.stop();
    door.close();
  });

  it('lets a person act at a door, and brings the events to the gateway (Protocol 4.4)', async () => {
    const fleet = make({ profile: { boltTravelMs: 5, cards: [{ cardNumber: '1325672378', startDate: 0, endDate: 0 }] } });
    await fleet.start();
    const lock = fleet.lock(1);
    expect(await lock.swipeCard('1325672378')).toEqual({ done: true });
    await lock.whenEventsAcknowledged();
    expect(broker.heard.filter(({ channel }) => channel === 'events').map(({ payload }) => JSON.parse(payload).events)).toEqual([
      [{ seq: 1, type: 'card-unlock', credential: '1325672378' }],
    ]);
    expect(lock.state).toBe('unlocked');
  });

  it('puts its locks behind hubs in turn, and each says hello over the line of its hub (Protocol 8 rule 1)', async () => {
    const fleet = make({ locks: 3, hubs: 2 });
    await fleet.start();
    expect(gateway.registrations.map(({ lockName, hubId }) => [lockName, hubId]).sort()).toEqual([
      ['Lock 1', fleetHubId(1, 1)],
      ['Lock 2', fleetHubId(1, 2)],
      ['Lock 3', fleetHubId(1, 1)],
    ]);
    expect(broker.connects).toHaveLength(2);
    expect(broker.heard.filter(({ channel }) => channel === 'hello')).toHaveLength(3);
    fleet.hub(1).cutNetwork();
    await until(() => !fleet.lock(1).online && !fleet.lock(3).online);
    expect([fleet.lock(2).online, fleet.hubs.map(({ online }) => online)]).toEqual([true, [false, true]]);
    fleet.hub(1).restoreNetwork();
    await fleet.lock(3).whenOnline();
  });

  it('hands no command over that is late or of another session, and answers for the lock (Protocol 8 rule 3)', async () => {
    const fleet = make({ hubs: 1 });
    await fleet.start();
    const lock = fleet.lock(1);
    lock.setSilent(true);
    const command = { op: 'unlock', args: {}, ttl: 10_000, expires: 1_000_000_000, session: lock.session };
    broker.command(lock.deviceId, { ...command, id: 'other', session: 'not-this-one' });
    broker.command(lock.deviceId, { ...command, id: 'late', expires: -1 });
    for (const id of ['other', 'late']) {
      const { payload } = await broker.until((message) => message.channel === 'reply' && message.payload.includes(`"${id}"`));
      expect(JSON.parse(payload)).toEqual({ id, ok: false, error: 'expired' });
    }
    expect(lock.state).toBe('locked');
  });

  it('with its link to the hub frozen gets no command late: the hub answers when it thaws (Fault T7)', async () => {
    const fleet = make({ hubs: 1 });
    await fleet.start();
    const lock = fleet.lock(1);
    const session = lock.session;
    lock.freeze();
    broker.command(lock.deviceId, { id: 'held', op: 'unlock', args: {}, ttl: 10_000, expires: 0, session });
    await broker.delivered();
    lock.thaw();
    await broker.until(({ payload }) => payload === '{"id":"held","ok":false,"error":"expired"}');
    expect(lock.state).toBe('locked');
  });

  it('that pairs registers nothing, keeps the keys that its locks made, and says hello and nothing else (Protocol 7)', async () => {
    broker.admit(() => true);
    broker.refuseSubscriptions(true);
    const fleet = make({ pair: true, token: '' });
    await fleet.start();
    const lock = fleet.lock(1);
    await until(() => lock.waiting);
    await lock.turnThumb();
    expect([gateway.requests, lock.online, broker.heard.map(({ channel }) => channel)]).toEqual([[], false, ['hello']]);
    const { deviceKey = '' } = lock.memory;
    expect(deviceKey).toMatch(/^[\w-]{32}$/);
    expect(lock.keyFingerprint).toMatch(/^[0-9a-f]{4}(-[0-9a-f]{4}){3}$/);
    broker.refuseSubscriptions(false);
    broker.kick();
    await lock.whenOnline();
    await lock.whenEventsAcknowledged();
    expect([lock.waiting, lock.memory.deviceKey]).toEqual([false, deviceKey]);
  });

  it('keeps events over a cut network and a power cut, and sends them once both are over (Protocol 4.4)', async () => {
    const fleet = make();
    await fleet.start();
    const lock = fleet.lock(1);
    lock.cutNetwork();
    await lock.swipeCard('5');
    await lock.turnThumb();
    await lock.whenSaved();
    lock.powerCut();
    await lock.powerOn();
    await lock.whenOnline();
    await lock.whenEventsAcknowledged();
    const sent = broker.heard.filter(({ channel }) => channel === 'events').flatMap(({ payload }) => JSON.parse(payload).events);
    expect(sent.map(({ type, success }: { type: string; success?: boolean }) => [type, success])).toEqual([
      ['card-unlock', false],
      ['inside-unlock', undefined],
    ]);
  });
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it never came');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
