// A device of another make that reaches for what is not its own, floods, or talks nonsense: it hurts itself at most (Faults T11, T13 and T15).
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { loadConfig } from '../../src/app/config.ts';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { until } from '../support/mqtt-fakes.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly lockId: number;
  readonly mqtt: { readonly username: string; readonly password: string };
}

let folder: string;
let gateway: Gateway;
const addresses = {} as { readonly http: Address; readonly devices: Address };
let bugs: unknown[];
const clients: MqttClient[] = [];

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const token = (await readFile(join(folder, 'data', 'admin.token'), 'utf8')).trim();
  const answer = await fetch(`http://${addresses.http.host}:${addresses.http.port}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

const register = async (driver: object): Promise<Login> =>
  (await api('POST', 'gateway/locks', { driver, lockName: 'door' })) as unknown as Login;

async function login({ mqtt }: Login): Promise<MqttClient> {
  const client = await connectAsync({ ...addresses.devices, protocol: 'mqtt', ...mqtt, clientId: 'x', reconnectPeriod: 0 });
  client.on('error', () => {});
  clients.push(client);
  return client;
}

/** A Nuki that behaves: locked, and unlocks when it is told to. */
async function goodNuki(id: string): Promise<{ readonly lockId: number; readonly client: MqttClient; readonly heard: string[] }> {
  const given = await register({ kind: 'nuki', nukiId: id });
  const client = await login(given);
  const heard: string[] = [];
  client.on('message', (topic, payload) => {
    heard.push(`${topic} ${payload}`);
    client.publish(`nuki/${id}/commandResponse`, '0', { qos: 1 });
    client.publish(`nuki/${id}/state`, '3', { qos: 1 });
  });
  await client.subscribeAsync(['lockAction', 'lock', 'unlock'].map((topic) => `nuki/${id}/${topic}`));
  await client.publishAsync(`nuki/${id}/state`, '1', { qos: 1 });
  return { lockId: given.lockId, client, heard };
}

const stateOf = async (lockId: number) => (await api('GET', `lock/state?lockId=${lockId}`))['state'];
const unlock = (lockId: number) => api('POST', `lock/unlock?lockId=${lockId}`);

beforeEach(async () => {
  bugs = [];
  folder = await mkdtemp(join(tmpdir(), 'latchd-hostile-'));
  const flags = {
    ...{ '--data-dir': join(folder, 'data'), '--http-port': '0', '--mqtt-port': '0', '--command-timeout-ms': '5000' },
    ...{ '--devices-enabled': 'true', '--devices-port': '0', '--devices-networks': '127.0.0.0/8' },
  };
  const { config } = loadConfig({ file: join(import.meta.dirname, '../../config/latchd.yaml'), environment: {}, flags });
  const quiet = () => undefined;
  gateway = await createGateway(config, {
    log: {
      ...{ debug: quiet, fatal: quiet },
      info: (fields: object) => void ('code' in fields && fields.code === 'ready' && Object.assign(addresses, fields)),
      warn: (fields: object) => void ('code' in fields && fields.code === 'bug' && bugs.push(fields)),
      error: (fields: object) => void bugs.push(fields),
    },
    version: 'test',
    onFatal: (error) => void bugs.push(error),
  });
  await gateway.start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.end(true);
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

test('what it says of other locks is acknowledged and changes nothing, and it hears nothing of them', async () => {
  const victim = await goodNuki('2BB28570');
  const hostile = await login(await register({ kind: 'nuki', nukiId: '2BB28571' }));
  const before = await stateOf(victim.lockId);
  const heard: string[] = [];
  hostile.on('message', (topic) => heard.push(topic));
  const filters = ['#', 'nuki/#', 'nuki/2BB28570/#', 'nuki/+/lockAction', 'latchd/v1/+/command', '$SYS/#', 'nuki/2BB28571/lockAction'];
  const granted = await hostile.subscribeAsync(filters).catch((error) => error as Error);
  expect(granted).toBeInstanceOf(Error);
  const topics = [
    'nuki/2BB28570/state',
    'nuki/2BB28570/connected',
    'latchd/v1/a4c1387f02e9/state',
    '$SYS/broker/uptime',
    'nuki/2BB2857',
    'x',
  ];
  for (const qos of [0, 1, 2] as const) for (const topic of topics) await hostile.publishAsync(topic, '3', { qos, retain: true });
  expect(hostile.connected).toBe(true);
  expect(await stateOf(victim.lockId)).toBe(before);
  expect(await unlock(victim.lockId)).toEqual({ success: true });
  expect([victim.heard, heard]).toEqual([['nuki/2BB28570/lockAction 1'], []]);
  expect(bugs).toEqual([]);
});

test('a flood of topics, payloads as large as they may be, and half a JSON stay its own matter', async () => {
  const victim = await goodNuki('2BB28570');
  const prefix = 'shellyplus1-a8032abe54dc';
  const hostile = await login(await register({ kind: 'shelly', prefix }));
  await hostile.subscribeAsync(`${prefix}/rpc`);
  const large = Buffer.alloc(60_000, '{"params":');
  const nonsense = ['{"id":', '[]', 'null', '{"method":"NotifyStatus","params":{"switch:0":7}}', '{"id":1e400,"result":{}}', large];
  const flood = [
    ...Array.from({ length: 3_000 }, (_, index) => hostile.publishAsync(`${prefix}/t/${index}/${'x'.repeat(50)}`, 'x', { qos: 1 })),
    ...nonsense.flatMap((payload) =>
      [`${prefix}/events/rpc`, `${prefix}/online`, `${prefix}/rpc`].map((topic) => hostile.publishAsync(topic, payload, { qos: 1 })),
    ),
  ];
  expect(await unlock(victim.lockId)).toEqual({ success: true });
  await Promise.all(flood);
  expect(hostile.connected).toBe(true);
  expect(bugs).toEqual([]);
});

test('a payload that is too large costs it its connection, and nobody else anything', async () => {
  const victim = await goodNuki('2BB28570');
  const hostile = await login(await register({ kind: 'nuki-hub', base: 'nukihub' }));
  hostile.publish('nukihub/lock/log', Buffer.alloc(70_000, 'x'), { qos: 0 });
  await until('it is closed', () => !hostile.connected);
  expect(await unlock(victim.lockId)).toEqual({ success: true });
  expect(bugs).toEqual([]);
});
