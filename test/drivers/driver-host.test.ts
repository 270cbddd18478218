import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { loadConfig } from '../../src/app/config.ts';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import type { DeviceLogin } from '../../src/domain/locks/driver.ts';
import { textKind } from '../support/text-driver.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a person gets of a registration. */
interface Issued {
  readonly lockId: number;
  readonly deviceId: string;
  readonly mqtt: DeviceLogin & { readonly password: string };
}

let folder: string;
let gateway: Gateway;
/** As the gateway says where it serves. */
const addresses = {} as { readonly http: Address; readonly mqtt: Address; readonly devices: Address };
let token: string;
const clients: MqttClient[] = [];

/** The whole gateway, with one more kind of lock. */
async function start(): Promise<void> {
  const devices = { '--devices-enabled': 'true', '--devices-port': '0', '--devices-networks': '127.0.0.0/8' };
  const flags = { '--data-dir': join(folder, 'data'), '--http-port': '0', '--mqtt-port': '0', '--command-timeout-ms': '1000', ...devices };
  const { config } = loadConfig({ file: join(import.meta.dirname, '../../config/latchd.yaml'), environment: {}, flags });
  const quiet = () => undefined;
  gateway = await createGateway(config, {
    log: {
      ...{ debug: quiet, warn: quiet, error: quiet, fatal: quiet },
      info: (fields: object) => void ('code' in fields && fields.code === 'ready' && Object.assign(addresses, fields)),
    },
    version: 'test',
    onFatal(error) {
      throw error;
    },
    deviceKinds: [textKind],
  });
  await gateway.start();
  token = (await readFile(join(folder, 'data', 'admin.token'), 'utf8')).trim();
}

async function api(method: string, path: string, query: Record<string, string>, body?: object) {
  const url = `http://${addresses.http.host}:${addresses.http.port}/api/v1/${path}?${new URLSearchParams(query)}`;
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await fetch(url, { method, ...json, headers: { ...json?.headers, authorization: `Bearer ${token}` } });
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown> & { readonly list: readonly Record<string, unknown>[] },
  };
}

async function register(address: string): Promise<Issued> {
  const { body } = await api('POST', 'gateway/locks', {}, { driver: { kind: 'text', address }, lockName: address });
  return body as unknown as Issued;
}

async function login(username: string, password: string, clientId = username, at: Address = addresses.devices): Promise<MqttClient> {
  const { host, port } = at;
  const client = await connectAsync({ host, port, protocol: 'mqtt', clientId, username, password, reconnectPeriod: 0 });
  clients.push(client);
  return client;
}

/** A lock that has said its first state, and says after each command what `obey` makes of it. */
async function textLock({ mqtt }: Issued, address: string, obey: (command: string) => string | undefined): Promise<MqttClient> {
  const client = await login(mqtt.username, mqtt.password);
  client.on('message', (_topic, payload) => {
    const state = obey(payload.toString());
    if (state !== undefined) client.publish(`${address}/state`, state, { qos: 1 });
  });
  await client.subscribeAsync(`${address}/#`, { qos: 1 });
  await client.publishAsync(`${address}/state`, 'locked', { qos: 1 });
  return client;
}

const records = async (lockId: number) =>
  (await api('GET', 'lock/records', { lockId: `${lockId}`, pageNo: '1', pageSize: '10' })).body.list;
const unlock = (lockId: number) => api('POST', 'lock/unlock', { lockId: `${lockId}` });
const stateOf = async (lockId: number) => (await api('GET', 'lock/state', { lockId: `${lockId}` })).body;
const closed = (client: MqttClient) => new Promise<void>((resolve) => void client.once('close', () => resolve()));
const obeys = (command: string): string => (command === 'unlock' ? 'unlocked' : 'locked');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-drivers-'));
  await start();
});

afterAll(async () => {
  for (const client of clients) client.end(true);
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a driver of another kind of lock', () => {
  it('has its locks registered, unlocked and recorded by the whole gateway, with who opened the door', async () => {
    const key = await register('hall');
    const { lockId } = key;
    expect(await unlock(lockId)).toMatchObject({ body: { code: 'lock-offline' } });
    const lock = await textLock(key, 'hall', obeys);
    const locked = await stateOf(lockId);
    expect(await unlock(lockId)).toEqual({ status: 200, body: { success: true } });
    expect(await stateOf(lockId)).not.toEqual(locked);
    await lock.publishAsync('hall/event', 'inside-lock', { qos: 1 });
    expect(await records(lockId)).toMatchObject([
      { recordType: 'lock from inside', username: '' },
      { recordType: 'unlock by gateway', username: 'admin' },
    ]);
    const { body: audit } = await api('GET', 'gateway/audit', { pageNo: '1', pageSize: '100' });
    expect(audit.list).toContainEqual(expect.objectContaining({ action: 'lock-register', object: `lock ${lockId}`, detail: 'hall: text' }));
  });

  it('loses a lock that does not answer in time, so that nothing it was sent opens the door later', async () => {
    const key = await register('cellar');
    const heard: string[] = [];
    const lock = await textLock(key, 'cellar', (command) => void heard.push(command));
    const ended = closed(lock);
    expect(await unlock(key.lockId)).toMatchObject({ status: 504, body: { code: 'lock-timeout' } });
    await ended;
    expect(await unlock(key.lockId)).toMatchObject({ body: { code: 'lock-offline' } });
    // Back again it is sent nothing of before.
    const again = await textLock(key, 'cellar', obeys);
    expect(await unlock(key.lockId)).toMatchObject({ status: 200 });
    expect(heard).toEqual(['unlock']);
    again.end(true);
  });

  it('records events of a device that is registered anew, though the gateway has numbered others of it before', async () => {
    const before = await register('loft');
    const lock = await textLock(before, 'loft', obeys);
    for (const event of ['door-open', 'door-close']) await lock.publishAsync('loft/event', event, { qos: 1 });
    const ended = closed(lock);
    await api('DELETE', `gateway/locks/${before.lockId}`, {});
    await ended;
    const after = await register('loft');
    const anew = await textLock(after, 'loft', obeys);
    await anew.publishAsync('loft/event', 'door-open', { qos: 1 });
    expect(await records(after.lockId)).toMatchObject([{ recordType: 'door opened' }]);
  });

  it('lets nobody in but its own locks, and their logins nowhere but where devices log in', async () => {
    const { deviceId, mqtt } = await register('attic');
    const { username, password } = mqtt;
    const barn = await register('barn');
    const refused = (code: number) => expect.objectContaining({ code });
    await expect(login(username, 'another password')).rejects.toEqual(refused(4));
    await expect(login(barn.mqtt.username, password)).rejects.toEqual(refused(4));
    await expect(login('text-0123456789', password)).rejects.toEqual(refused(4));
    // With its deviceId and its password nobody is a native lock, and on the listener of native locks it is nobody.
    for (const at of [addresses.mqtt, addresses.devices])
      await expect(login(deviceId, password, deviceId, at)).rejects.toEqual(expect.objectContaining({ code: expect.any(Number) }));
    await expect(login(username, password, username, addresses.mqtt)).rejects.toEqual(refused(5));
  });

  it('hears of a device only what is said on its own topics, and never closes one for what it says elsewhere', async () => {
    const barn = await register('stable');
    const other = await register('shed');
    const inBarn = await textLock(barn, 'stable', obeys);
    const client = await textLock(other, 'shed', obeys);
    for (const topic of ['stable/event', 'homeassistant/lock/shed/config', `latchd/v1/${barn.deviceId}/hello`])
      await client.publishAsync(topic, 'door-open', { qos: 1, retain: true });
    await expect(client.subscribeAsync('stable/#')).rejects.toThrow();
    await client.publishAsync('shed/event', 'door-close', { qos: 1 });
    expect([await records(barn.lockId), await records(other.lockId)]).toMatchObject([[], [{ recordType: 'door closed' }]]);
    expect(inBarn.connected && client.connected).toBe(true);
  });

  it('gets a new password that ends its session, and other settings that hold at once', async () => {
    const issued = await register('gate');
    const { lockId } = issued;
    const first = await textLock(issued, 'gate', obeys);
    let ended = closed(first);
    const renewed = (await api('POST', `gateway/locks/${lockId}/key`, {})).body as unknown as Issued;
    await ended;
    await expect(login(issued.mqtt.username, issued.mqtt.password)).rejects.toEqual(expect.objectContaining({ code: 4 }));
    expect(renewed.mqtt).toEqual({ ...issued.mqtt, password: expect.stringMatching(/^[A-Za-z0-9]{20}$/) });
    const heard: string[] = [];
    const unlocks = (command: string): string => {
      heard.push(command);
      return 'unlocked';
    };
    const second = await textLock(renewed, 'gate', unlocks);
    ended = closed(second);
    const driver = { kind: 'text', address: 'gate', unlock: 'unlatch' };
    expect((await api('PUT', `gateway/locks/${lockId}`, {}, { driver })).body).toMatchObject({ driver });
    await ended;
    await textLock(renewed, 'gate', unlocks);
    // An unlatch goes out also to a lock that is unlocked already.
    for (let n = 0; n < 2; n++) expect(await unlock(lockId)).toMatchObject({ status: 200, body: { success: true } });
    expect(heard).toEqual(['unlatch', 'unlatch']);
  });
});
