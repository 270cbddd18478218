import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { loadConfig } from '../../src/app/config.ts';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { localAdministrator } from '../../src/domain/accounts/account.ts';
import type { DeviceId } from '../../src/domain/locks/lock.ts';
import type { IssuedKey } from '../../src/domain/locks/new-lock.ts';
import type { RegistrationService } from '../../src/domain/locks/registration-service.ts';
import { createTextDriver } from '../support/text-driver.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

let folder: string;
let gateway: Gateway;
let registrations: RegistrationService;
/** As the gateway says where it serves. */
const addresses = {} as { readonly http: Address; readonly mqtt: Address; readonly devices: Address };
let token: string;
const clients: MqttClient[] = [];

/** The whole gateway, with one more kind of lock. */
async function start(): Promise<void> {
  const flags = {
    ...{ '--data-dir': join(folder, 'data'), '--http-port': '0', '--mqtt-port': '0', '--command-timeout-ms': '1000' },
    ...{ '--devices-enabled': 'true', '--devices-port': '0', '--devices-networks': '127.0.0.1' },
  };
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
    drivers: [
      (host) => {
        registrations = host.registrations;
        return createTextDriver(host);
      },
    ],
  });
  await gateway.start();
  token = (await readFile(join(folder, 'data', 'admin.token'), 'utf8')).trim();
}

async function api(method: 'GET' | 'POST', path: string, query: Record<string, string>) {
  const url = `http://${addresses.http.host}:${addresses.http.port}/api/v1/${path}?${new URLSearchParams(query)}`;
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown> & { readonly list: readonly Record<string, unknown>[] },
  };
}

const register = (address: string): Promise<IssuedKey> =>
  registrations.register(localAdministrator, { driver: { kind: 'text', address }, name: address, administrator: 'admin' });

async function login(username: string, password: string, where = addresses.devices): Promise<MqttClient> {
  const client = await connectAsync({ ...where, protocol: 'mqtt', clientId: username, username, password, reconnectPeriod: 0 });
  clients.push(client);
  return client;
}

/** A lock that has said its first state, and says after each command what `obey` makes of it. */
async function textLock({ mqtt }: IssuedKey, address: string, obey: (command: string) => string | undefined): Promise<MqttClient> {
  const client = await login(`text-${address}`, mqtt?.password ?? '');
  client.on('message', (_topic, payload) => {
    const state = obey(payload.toString());
    if (state !== undefined) client.publish(`${address}/state`, state, { qos: 1 });
  });
  await client.subscribeAsync(`${address}/command`, { qos: 1 });
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
    await registrations.remove(localAdministrator, before.lockId);
    await ended;
    const after = await register('loft');
    const anew = await textLock(after, 'loft', obeys);
    await anew.publishAsync('loft/event', 'door-open', { qos: 1 });
    expect(await records(after.lockId)).toMatchObject([{ recordType: 'door opened' }]);
  });

  it('lets nobody in but its own locks, and its locks nowhere else', async () => {
    const { deviceId, mqtt } = await register('attic');
    const deviceKey = mqtt?.password ?? '';
    await register('barn');
    const refused = expect.objectContaining({ code: 4 });
    await expect(login('text-attic', 'another key')).rejects.toEqual(refused);
    await expect(login('text-barn', deviceKey)).rejects.toEqual(refused);
    await expect(login('text-nowhere', deviceKey)).rejects.toEqual(refused);
    // With its deviceId and its key nobody is a native lock.
    await expect(login(deviceId, deviceKey, addresses.mqtt)).rejects.toEqual(refused);
    for (const topic of ['barn/state', 'latchd/v1/a4c1387f02e9/hello']) {
      const client = await login('text-attic', deviceKey);
      const ended = closed(client);
      client.publish(topic, 'unlocked', { qos: 1 });
      await ended;
    }
  });

  it('lets its locks in on devices and not on mqtt, and native locks, hubs and strangers the other way round', async () => {
    const password = (await register('shed')).mqtt?.password ?? '';
    const native = { deviceId: 'a4c1387f02e9' as DeviceId, name: 'native', administrator: 'admin' };
    const { deviceId, deviceKey = '' } = await registrations.register(localAdministrator, native);
    const refused = expect.objectContaining({ code: 5 });
    await expect(login('text-shed', password, addresses.mqtt)).rejects.toEqual(refused);
    for (const name of [deviceId, 'a4c1387f02ea', 'nobody']) await expect(login(name, deviceKey)).rejects.toEqual(refused);
    await login('text-shed', password);
    await login(deviceId, deviceKey, addresses.mqtt);
  });
});
