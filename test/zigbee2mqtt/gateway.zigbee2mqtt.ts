// The whole gateway before the real Zigbee2MQTT: from the HTTP API to the lock on the radio and back, and what a kill of either leaves behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { cellar, frontDoor, type RadioLock, startZigbee2Mqtt, type Zigbee2Mqtt } from './program.ts';

const settings = [
  { cacheState: true, lastSeen: 'disable' },
  { cacheState: true, lastSeen: 'epoch' },
  { cacheState: false, lastSeen: 'disable' },
  { cacheState: false, lastSeen: 'epoch' },
] as const;

describe.each(settings)('the gateway with cache_state $cacheState and last_seen $lastSeen', ({ cacheState, lastSeen }) => {
  let folder: string;
  let broker: RunningMosquitto;
  let program: Zigbee2Mqtt;
  let site: Site;
  const lockIds = new Map<RadioLock, number>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchd-zigbee-gateway-'));
    broker = await startMosquittoFor();
    program = await startZigbee2Mqtt({ brokerPort: broker.port, cacheState, lastSeen });
    const bridge = `{ name: house, url: 'mqtt://127.0.0.1:${broker.port}', drivers: [{ kind: zigbee2mqtt, base: zigbee2mqtt }] }`;
    writeFileSync(join(folder, 'latchd.yaml'), `commandTimeoutMs: 4000\nbridges: [${bridge}]\n`);
    site = await openSite({ flags: ['--config', join(folder, 'latchd.yaml')] });
    await until(async () => (await announced()).length === 2, 'both locks are announced');
    expect((await announced())[0]).toMatchObject({ name: 'Cellar/Left', make: 'Yale', model: 'YRD226HA2619', refused: null });
    for (const lock of [frontDoor, cellar]) {
      const driver = { kind: 'zigbee2mqtt', bridge: 'house', ieee: lock.ieee };
      const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockName: lock.name, driver } });
      lockIds.set(lock, body.lockId);
    }
    await areOnline();
  });

  afterAll(async () => {
    await site.close();
    await program.stop();
    await broker.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function announced() {
    const { body } = await site.api('GET', '/api/v1/gateway/devices', { query: { pageSize: 100 } });
    return body.list;
  }

  async function areOnline(online = true): Promise<void> {
    const all = async () => (await site.all('/api/v1/gateway/locks')).every((lock) => lock.online === online);
    await until(all, `all locks are ${online ? 'online' : 'offline'}`);
  }

  function ask(op: 'lock' | 'unlock', lock: RadioLock) {
    return site.api('POST', `/api/v1/lock/${op}`, { query: { lockId: lockIds.get(lock) } });
  }

  async function state(lock: RadioLock): Promise<string> {
    const { body, headers } = await site.api('GET', '/api/v1/lock/state', { query: { lockId: lockIds.get(lock) } });
    return `${body['state']} ${headers.get('latchd-state-sure') === 'true' ? 'for sure' : 'perhaps'}`;
  }

  /** The last ones of the front door, oldest first. They come moments after the answer, and each once. */
  async function hasRecords(...wanted: readonly string[]): Promise<void> {
    const query = { lockId: lockIds.get(frontDoor), pageNo: 1, pageSize: 10 };
    const last = async () => {
      const { body } = await site.api('GET', '/api/v1/lock/records', { query });
      const texts = body.list.map(({ recordType, keyboardPwd, username }) =>
        [recordType, keyboardPwd, username].filter((text) => text !== '').join(' '),
      );
      return texts.slice(0, wanted.length).reverse().join(', ');
    };
    await until(async () => (await last()) === wanted.join(', '), `the last records are ${wanted.join(', ')}`, 10_000);
  }

  /** By a command, so that nobody depends on what is known of it. */
  async function isLocked(lock: RadioLock): Promise<void> {
    await program.behave(lock, 'ok');
    await until(async () => (await ask('lock', lock)).body['success'] === true, `${lock.name} is locked`);
  }

  beforeEach(async () => {
    for (const lock of [frontDoor, cellar]) await isLocked(lock);
    program.forget();
  });

  it('says what holds for a lock as Zigbee2MQTT describes it', async () => {
    const { body } = await site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 100 } });
    const [first] = body.list;
    expect(await announced()).toEqual([]);
    expect(first).toMatchObject({
      capabilities: {
        ...{ success: 'bolt', late: 'possible', refusals: 'silent', matched: false, query: true, passcodes: true, autoLock: true },
        ...{
          battery: 'percent',
          encrypted: false,
          warnings: cacheState ? expect.arrayContaining(['cache-state']) : expect.not.arrayContaining(['cache-state']),
        },
      },
    });
  });

  it('unlocks and locks a door, and records both once with who did it', async () => {
    expect((await ask('unlock', frontDoor)).body).toEqual({ success: true });
    expect((await ask('lock', frontDoor)).body).toEqual({ success: true });
    expect(program.moves()).toEqual(['4660 unlocked', '4660 locked']);
    await hasRecords('unlock by gateway admin', 'lock by gateway admin');
  });

  it('answers 504 when the lock refuses without a word, and is not sure of its state', async () => {
    await program.behave(frontDoor, 'refused');
    expect((await ask('unlock', frontDoor)).status).toBe(504);
    expect(await state(frontDoor)).toMatch(/^locked/);
    expect(program.moves()).toEqual([]);
  });

  it('answers 504 when the radio does not reach the lock, and nothing opens at its next check-in', async () => {
    await program.behave(cellar, 'away');
    expect((await ask('unlock', cellar)).status).toBe(504);
    await program.behave(cellar, 'ok');
    await program.checkIn(cellar);
    await isLocked(cellar);
    expect(program.moves().filter((move) => move.endsWith('unlocked'))).toEqual([]);
  });

  it('has its locks offline while Zigbee2MQTT is away, and opens nothing late when it was killed in the middle of an unlock', async () => {
    await program.behave(cellar, 'hanging');
    const answer = ask('unlock', cellar);
    await program.until(({ sent }) => sent === 'unlockDoor');
    await program.kill();
    expect((await answer).status).toBeGreaterThanOrEqual(500);
    await areOnline(false);
    expect(await ask('unlock', frontDoor)).toMatchObject({ body: { code: 'lock-offline' } });
    await program.start();
    await areOnline();
    await program.checkIn(cellar);
    await isLocked(cellar);
    expect(program.moves().filter((move) => move.endsWith('unlocked'))).toEqual([]);
  });

  it('opens nothing late when the gateway itself was killed in the middle of an unlock', async () => {
    await program.behave(frontDoor, 'hanging');
    const answer = ask('unlock', frontDoor).catch(() => undefined);
    await program.until(({ sent }) => sent === 'unlockDoor');
    await site.kill9();
    await answer;
    await program.behave(frontDoor, 'ok');
    program.forget();
    await site.start();
    await areOnline();
    await isLocked(frontDoor);
    expect(program.arrived().filter((sent) => sent.endsWith('unlockDoor'))).toEqual([]);
  });

  it('records who was at the door: the slot of a code, or a hand', async () => {
    await program.enterCode(frontDoor, 3);
    await until(async () => (await state(frontDoor)).startsWith('unlocked'), 'it is unlocked');
    await program.turn(frontDoor, 'locked');
    await until(async () => (await state(frontDoor)).startsWith('locked'), 'it is locked');
    await hasRecords('unlock by passcode slot 3', 'lock from inside');
  });
});
