// Devices of other makes on a real connection: how they log in, what they say, and what they must not.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createDeviceFleet, type DeviceFleet, type DeviceFleetOptions, parseDeviceSpec } from '../../../device-sim/devices/device-fleet.ts';
import { joinBroker, type Neighbour, type RunningMosquitto, startMosquittoFor } from '../../support/mosquitto.ts';

interface Seen {
  readonly topic: string;
  readonly payload: string;
}

let broker: RunningMosquitto | undefined;
let fleet: DeviceFleet | undefined;
let neighbour: Neighbour | undefined;
let api: Server | undefined;

afterEach(async () => {
  await fleet?.stop();
  await neighbour?.leave();
  await broker?.end();
  await new Promise<void>((resolve) => (api === undefined ? resolve() : api.close(() => resolve())));
  broker = undefined;
  fleet = undefined;
  neighbour = undefined;
  api = undefined;
});

async function start(as: string, options: Partial<DeviceFleetOptions> = {}): Promise<DeviceFleet> {
  const specs = as.split(' ').map(parseDeviceSpec);
  fleet = createDeviceFleet({
    ...{ specs, mqttUrl: `mqtt://127.0.0.1:${broker?.port}`, gatewayUrl: 'http://127.0.0.1:1', token: () => Promise.resolve('t') },
    ...{ usernames: ['nuki-2bb28570'], passwords: ['secret'], faults: [], travelMs: 5, ...options },
  });
  await fleet.start();
  return fleet;
}

/** Hears all from the beginning, and returns the first that fits. */
async function listening(): Promise<(fits: (seen: Seen) => boolean) => Promise<Seen>> {
  const seen: Seen[] = [];
  const looking = new Set<() => void>();
  neighbour = await joinBroker(broker?.port ?? 0, { username: 'nuki-2bb28570', password: 'secret' });
  await neighbour.hear('#', (topic, payload) => {
    seen.push({ topic, payload });
    for (const look of [...looking]) look();
  });
  return (fits) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = seen.find(fits);
        if (found === undefined) return;
        looking.delete(look);
        resolve(found);
      };
      looking.add(look);
      look();
    });
}

describe('devices of other makes', () => {
  it('log in with name and password, and act on what they are told', async () => {
    broker = await startMosquittoFor({ login: { username: 'nuki-2bb28570', password: 'secret' } });
    const until = await listening();
    const { doors } = await start('nuki:2BB28570');
    await neighbour?.say('nuki/2BB28570/lockAction', '1');
    await until(({ topic, payload }) => topic === 'nuki/2BB28570/state' && payload === '3');
    expect(doors[0]?.door.describe()).toMatch(/^state 3/);
  });

  it('come back after their network broke', async () => {
    broker = await startMosquittoFor();
    const until = await listening();
    const { doors, stop } = await start('shelly:shelly1 z2m:2', {
      usernames: [],
      passwords: ['x', 'x'],
      reconnect: { minMs: 5, maxMs: 10 },
    }).then((started) => started);
    expect(doors.map(({ number, door }) => `${number} ${door.name}`)).toEqual(['1 Shelly shelly1', '2 Front Door', '3 Cellar/Left']);
    doors[0]?.running.cut();
    await until(({ topic, payload }) => topic === 'shelly1/online' && payload === 'false');
    doors[0]?.running.start();
    await doors[0]?.running.whenOnline();
    await stop();
    expect(doors.map(({ running }) => running.online)).toEqual([false, false, false]);
  });

  it('say what they must not, at each connect and when they are told to', async () => {
    broker = await startMosquittoFor();
    const until = await listening();
    const { door } = await start('nuki:2BB28570', { usernames: [], passwords: [''], faults: ['large', 'foreign'] });
    expect((await until(({ payload }) => payload.length > 1_000)).payload).toHaveLength(65_536);
    await until(({ topic }) => topic === 'homeassistant/lock/sim/smartlock/config');
    for (const fault of ['half-json', 'other-prefix', 'flood']) door(1).door.faults.set(fault, true);
    await until(({ payload }) => payload === '{"state":"UNLOCK","lock_st');
    await until(({ topic }) => topic === 'nuki/0BADCAFE/state');
  });

  it('are registered when nobody gives their password, or get a new one', async () => {
    broker = await startMosquittoFor();
    const asked: string[] = [];
    const mqtt = { host: '127.0.0.1', port: broker.port, tlsPort: null, username: 'nuki-hub-1', password: 'p' };
    const answers: Readonly<Record<string, readonly [number, object]>> = {
      'POST /api/v1/gateway/locks': [409, { code: 'conflict' }],
      'GET /api/v1/gateway/locks?pageNo=1&pageSize=1000': [
        200,
        { list: [{ lockId: 7, driver: { kind: 'nuki-hub', base: 'nukihub' } }], pages: 1 },
      ],
      'POST /api/v1/gateway/locks/7/key': [200, { lockId: 7, deviceId: '02', mqtt }],
    };
    api = createServer((request: IncomingMessage, response) => {
      const line = `${request.method} ${request.url}`;
      asked.push(line);
      const [status, body] = answers[line] ?? [404, { code: 'not-found' }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const listener = api;
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const gatewayUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const { doors } = await start('nuki-hub:nukihub', { usernames: [], passwords: [], mqttUrl: 'mqtt://127.0.0.1:1', gatewayUrl });
    expect(asked).toEqual(Object.keys(answers));
    expect(doors[0]?.running.online).toBe(true);
  });

  it('do not start with a fault that none of them has, or without a broker', async () => {
    broker = await startMosquittoFor();
    await expect(start('nuki:2BB28570', { faults: ['dance'] })).rejects.toThrow(/no device here has the fault dance/);
    await broker.kill();
    await expect(start('nuki:2BB28570', { startTimeoutMs: 100, reconnect: { minMs: 5, maxMs: 10 } })).rejects.toThrow(
      /did not come online .*ECONNREFUSED/,
    );
  });

  it.each([
    ['nuki', 'must begin with one of nuki:, nuki-hub:, shelly:, z2m:, discovery:.'],
    ['nuki:2BB2857', 'has no address of a nuki after the colon.'],
    ['z2m:51', 'has no address of a z2m after the colon.'],
    ['shelly:a#b', 'has no address of a shelly after the colon.'],
  ])('refuse the address %s with a sentence', (text, sentence) => {
    expect(() => parseDeviceSpec(text)).toThrow(sentence);
  });
});
