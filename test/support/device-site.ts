// The whole gateway with its listener for devices of other makes, and simulated devices or a plain MQTT client that plays one.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { createDeviceFleet, type DoorHandle, parseDeviceSpec } from '../../device-sim/devices/device-fleet.ts';
import { loadConfig } from '../../src/app/config.ts';
import { createGateway } from '../../src/app/gateway.ts';
import type { DeviceLogin } from '../../src/domain/locks/driver.ts';
import { until } from './site.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a person gets of a registration. */
export interface RegisteredDevice {
  readonly lockId: number;
  readonly deviceId: string;
  readonly mqtt: DeviceLogin & { readonly password: string };
}

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: Json & { readonly list: readonly Json[] };
}

/** As the API shows it. */
interface ShownLock extends Json {
  readonly lockId: number;
  readonly online: boolean;
  readonly capabilities: Json;
  readonly electricQuantity: number;
}

export interface DeviceSite {
  api(method: string, path: string, query?: Json, body?: object): Promise<Answer>;
  register(driver: Json): Promise<RegisteredDevice>;
  /** A simulated device, as `npm run sim -- --as` runs it, with bolts that move at once; resolves when its lock is online. */
  simulate(as: string, device: RegisteredDevice, faults?: readonly string[]): Promise<DoorHandle>;
  /** A client under the name of a device, which says and hears what a test wants. */
  login(device: RegisteredDevice): Promise<MqttClient>;
  /** POST lock/unlock or lock/lock. */
  move(op: 'unlock' | 'lock', lockId: number): Promise<Answer>;
  lock(lockId: number): Promise<ShownLock>;
  isOnline(lockId: number): Promise<boolean>;
  state(lockId: number): Promise<unknown>;
  /** Type and user name of each, newest first. */
  records(lockId: number): Promise<readonly (readonly [type: unknown, username: unknown])[]>;
  /** The kinds that are active at this lock. */
  alarms(lockId: number): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

export async function startDeviceSite(flags: Readonly<Record<string, string>> = {}): Promise<DeviceSite> {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-devices-'));
  const addresses = {} as { readonly http: Address; readonly devices: Address };
  const quiet = () => undefined;
  const { config } = loadConfig({
    file: join(import.meta.dirname, '../../config/latchd.yaml'),
    environment: {},
    flags: {
      ...{ '--data-dir': join(folder, 'data'), '--http-port': '0', '--mqtt-port': '0' },
      ...{ '--devices-enabled': 'true', '--devices-port': '0', '--devices-networks': '127.0.0.0/8', ...flags },
    },
  });
  const webhooks = { ...config.webhooks, networks: ['127.0.0.0/8'] };
  const gateway = await createGateway(
    { ...config, webhooks },
    {
      log: {
        ...{ debug: quiet, warn: quiet, error: quiet, fatal: quiet },
        info: (fields: object) => void ('code' in fields && fields.code === 'ready' && Object.assign(addresses, fields)),
      },
      version: 'test',
      onFatal(error) {
        throw error;
      },
    },
  );
  await gateway.start();
  const token = (await readFile(join(folder, 'data', 'admin.token'), 'utf8')).trim();
  const ends: (() => unknown)[] = [];

  const api: DeviceSite['api'] = async (method, path, query = {}, body) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
    const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`http://${addresses.http.host}:${addresses.http.port}/api/v1/${path}?${search}`, {
      ...{ method, ...json },
      headers: { ...json?.headers, authorization: `Bearer ${token}` },
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  const page = { pageNo: 1, pageSize: 100 };
  const lock: DeviceSite['lock'] = async (lockId) => {
    const { body } = await api('GET', 'gateway/locks', page);
    return body.list.find((one) => one['lockId'] === lockId) as ShownLock;
  };
  const isOnline: DeviceSite['isOnline'] = async (lockId) => (await lock(lockId)).online;

  return {
    ...{ api, lock, isOnline },
    async register(driver) {
      const { body } = await api('POST', 'gateway/locks', {}, { driver, lockName: JSON.stringify(driver).slice(0, 50) });
      return body as unknown as RegisteredDevice;
    },
    async simulate(as, { lockId, mqtt }, faults = []) {
      const fleet = createDeviceFleet({
        ...{ specs: [parseDeviceSpec(as)], mqttUrl: `mqtt://${addresses.devices.host}:${addresses.devices.port}`, gatewayUrl: '' },
        ...{ token: () => Promise.resolve(token), usernames: [mqtt.username], passwords: [mqtt.password], faults, travelMs: 20 },
        reconnect: { minMs: 20, maxMs: 100 },
      });
      ends.push(fleet.stop);
      await fleet.start();
      if (!faults.includes('actions-off')) await until(() => isOnline(lockId), `${as} is online`);
      return fleet.door(1);
    },
    async login({ mqtt: { username, password } }) {
      const { host, port } = addresses.devices;
      const client = await connectAsync({
        host,
        port,
        protocol: 'mqtt',
        clientId: `played ${username}`,
        username,
        password,
        reconnectPeriod: 0,
      });
      ends.push(() => client.end(true));
      return client;
    },
    move: (op, lockId) => api('POST', `lock/${op}`, { lockId }),
    state: async (lockId) => (await api('GET', 'lock/state', { lockId })).body['state'],
    async records(lockId) {
      const { body } = await api('GET', 'lock/records', { lockId, ...page });
      return body.list.map((record) => [record['recordType'], record['username']] as const);
    },
    async alarms(lockId) {
      const { body } = await api('GET', 'gateway/alarms', page);
      return body.list.filter((alarm) => alarm['lockId'] === lockId).map((alarm) => alarm['kind']);
    },
    async stop() {
      await Promise.all(ends.map((end) => end()));
      await gateway.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
