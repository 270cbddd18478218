// Clients whose handler is not strict, such as devices of other makes: what a handler can allow, and how such a connection ends.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { type Broker, createBroker } from '../../src/broker/broker.ts';
import type { ClientConnection, ClientHandler, PublishFlags } from '../../src/broker/client-handlers.ts';
import { checkerId } from '../../src/platform/listener-check.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { makeLoopbackCertificate } from '../support/loopback-certificate.ts';
import { realClock } from '../support/mqtt-clock.ts';
import { createFakeLog, until } from '../support/mqtt-fakes.ts';
import { connectPacket, openRaw, pingPacket, publishPacket, type RawClient, subscribePacket, types } from '../support/mqtt-raw.ts';

const { key, ca, cert } = await makeLoopbackCertificate();

interface Heard {
  readonly topic: string;
  readonly payload: string;
  readonly flags: PublishFlags;
}

let broker: Broker;
let connections: ClientConnection[];
let heard: Heard[];
let subscribed: string[];
let ended: string[];
let changes: Partial<ClientHandler>;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  [connections, heard, subscribed, ended, changes] = [[], [], [], [], {}];
  broker = createBroker({
    endpoints: {
      mqtt: { host: '127.0.0.1', port: 0 },
      mqtts: { host: '127.0.0.1', port: 0, identity: { current: () => ({ key, cert }), onChange: () => {} } },
    },
    handlers: {
      authenticate({ username = '' }, connection) {
        connections.push(connection);
        return { allow: true, client: deviceOf(username) };
      },
    },
    ...{ checkedBy: checkerId, clock: realClock, tickBatcher: createTickBatcher(), log: createFakeLog() },
  });
  await broker.start();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  await broker.stop();
});

/** Takes all below `own/`. */
function deviceOf(username: string): ClientHandler {
  return {
    clientId: `test/${username}`,
    identity: () => ({ deviceId: username }),
    isWelcome: () => true,
    isUrgent: () => false,
    keepAliveSeconds: 60,
    endsByReset: true,
    authorizeSubscribe: (filter) => (filter.startsWith('own/') ? { allow: true } : { allow: false, reason: 'foreign-topic' }),
    mayReceive: () => true,
    onPublish(topic, payload, flags) {
      heard.push({ topic, payload: payload.toString(), flags });
      return 'acknowledge';
    },
    onSubscribed: (filter) => void subscribed.push(filter),
    onClose: (reason) => void ended.push(reason),
    ...changes,
  };
}

function address(scheme: 'mqtt' | 'mqtts' = 'mqtt') {
  return broker.addresses()[scheme] as { readonly host: string; readonly port: number };
}

async function raw(): Promise<RawClient> {
  const client = await openRaw(address());
  cleanUps.push(client.destroy);
  return client;
}

async function login(options: Parameters<typeof connectPacket>[0] = { clientId: 'x', username: 'device' }): Promise<RawClient> {
  const client = await raw();
  client.send(connectPacket(options));
  expect([...(await client.next()).body]).toEqual([0, 0]);
  return client;
}

async function device(options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync({ ...address(), protocol: 'mqtt', username: 'device', reconnectPeriod: 0, ...options });
  cleanUps.push(() => client.endAsync(true));
  return client;
}

const last = (): ClientConnection => connections.at(-1) as ClientConnection;

describe('the handler of the login decides about the CONNECT', () => {
  test.each([
    ['another client id than the user name', { clientId: 'SL3P_AABBCC99' }],
    ['no client id', { clientId: '' }],
    ['a session that is to last', { clientId: 'esp32', clean: false }],
    ['a keep alive of 0', { clientId: 'x', keepalive: 0 }],
    ['a keep alive of 300 s', { clientId: 'x', keepalive: 300 }],
    ['a keep alive of 65535 s', { clientId: 'x', keepalive: 65_535 }],
    ['a will elsewhere', { clientId: 'x', will: { topic: 'homeassistant/x', payload: 'gone', qos: 2, retain: true } }],
  ])('%s can be accepted', async (_title, options) => {
    const client = await login({ username: 'device', ...options });
    client.send(pingPacket);
    expect((await client.next()).type).toBe(types.pingresp);
  });

  test('a session that was to last begins clean the next time, and nobody hears the will', async () => {
    const will = { topic: 'own/will', payload: 'gone', qos: 1, retain: true };
    const other = await device({ username: 'other' });
    await other.subscribeAsync('own/will', { qos: 1 });
    const got: string[] = [];
    other.on('message', (topic) => got.push(topic));
    const first = await login({ clientId: 'esp32', username: 'device', clean: false, will });
    first.send(subscribePacket(1, 'own/command'));
    await first.next();
    first.destroy();
    await until('it has ended', () => ended.length === 1);
    await login({ clientId: 'esp32', username: 'device', clean: false });
    last().publish('own/command', 'unlock');
    last().publish('own/will', 'none');
    await other.publishAsync('own/x', 'x', { qos: 1 });
    expect(got).toEqual([]);
    expect(broker.stats().withheldDeliveries).toBe(2);
  });

  test('the same client id under two user names is two clients', async () => {
    const one = await login({ clientId: 'same', username: 'one' });
    await login({ clientId: 'same', username: 'two' });
    one.send(pingPacket);
    expect((await one.next()).type).toBe(types.pingresp);
  });

  test('the keep alive that the handler names is watched, and not that of the CONNECT', async () => {
    changes = { keepAliveSeconds: 0.2 };
    const client = await login({ clientId: 'x', username: 'device', keepalive: 0 });
    await client.closed;
    expect(ended).toEqual(['keep alive timeout']);
  });

  test('with a keep alive by TCP it may be silent for longer than any keep alive', async () => {
    changes = { keepAliveSeconds: 0.01, usesTcpKeepAlive: true };
    const client = await login({ clientId: 'x', username: 'device', keepalive: 0 });
    changes = { keepAliveSeconds: 0.2 };
    const other = await login({ clientId: 'x', username: 'other', keepalive: 0 });
    await other.closed;
    client.send(pingPacket);
    expect((await client.next()).type).toBe(types.pingresp);
  });
});

describe('what it publishes', () => {
  test('comes with its quality of service and its retain flag, and is acknowledged as that wants it', async () => {
    const client = await device();
    await client.publishAsync('homeassistant/lock/x/config', 'zero', { qos: 0, retain: true });
    await client.publishAsync('own/a', 'one', { qos: 1 });
    await client.publishAsync('own/b', 'two', { qos: 2, retain: true });
    expect(heard).toEqual([
      { topic: 'homeassistant/lock/x/config', payload: 'zero', flags: { qos: 0, retain: true } },
      { topic: 'own/a', payload: 'one', flags: { qos: 1, retain: false } },
      { topic: 'own/b', payload: 'two', flags: { qos: 2, retain: true } },
    ]);
  });

  test('how long it has been silent is counted from the last byte, in the middle of a packet, too', async () => {
    const client = await login();
    await until('it has been silent', () => last().silentMs() > 60);
    const sentAt = performance.now();
    const packet = publishPacket('own/a', 'x', 1);
    client.send(packet.subarray(0, 3));
    await until('it was heard', () => last().silentMs() <= performance.now() - sentAt);
    expect(heard).toEqual([]);
  });
});

describe('what it subscribes to', () => {
  test('its handler learns of what was granted, and a foreign filter costs it a refusal and nothing else', async () => {
    const client = await login();
    client.send(subscribePacket(1, 'own/#', 'homeassistant/#', '#', '$SYS/#', 'own/x'));
    expect([...(await client.next()).body.subarray(2)]).toEqual([1, 0x80, 0x80, 0x80, 1]);
    await until('it was told', () => subscribed.length === 2);
    expect(subscribed).toEqual(['own/#', 'own/x']);
    client.send(pingPacket);
    expect((await client.next()).type).toBe(types.pingresp);
  });

  test('it gets a message only on a topic to which it has subscribed, and only as long as it has', async () => {
    const client = await device();
    const got: string[] = [];
    client.on('message', (topic, payload) => got.push(`${topic} ${payload}`));
    last().publish('own/rpc', 'too early');
    await client.subscribeAsync(['own/rpc', 'own/+/set', 'own/deep/#'], { qos: 1 });
    for (const topic of ['own/rpc', 'own/rpc/x', 'own/a/set', 'own/a/b/set', 'own/deep', 'own/deep/x/y', 'own', 'other/rpc'])
      last().publish(topic, 'on');
    await client.unsubscribeAsync('own/rpc');
    last().publish('own/rpc', 'too late');
    last().publish('own/a/set', 'end');
    await until('all has come', () => got.includes('own/a/set end'));
    expect(got).toEqual(['own/rpc on', 'own/a/set on', 'own/deep on', 'own/deep/x/y on', 'own/a/set end']);
  });

  test.each([
    ['0 to a subscription of 1', 1, 0, 0],
    ['1 to a subscription of 1', 1, 1, 1],
    ['1 to a subscription of 2', 2, 1, 1],
    ['1 to a subscription of 0', 0, 1, 0],
  ] as const)('a message of quality %s comes with the lower one', async (_title, granted, sent, received) => {
    const client = await device();
    const got: number[] = [];
    client.on('message', (_topic, _payload, { qos }) => got.push(qos));
    await client.subscribeAsync('own/rpc', { qos: granted });
    last().publish('own/rpc', 'x', sent);
    await until('it has come', () => got.length === 1);
    expect(got).toEqual([received]);
  });

  test('the filters of one client are bounded, and the connection stays', async () => {
    const client = await login();
    client.send(subscribePacket(1, ...Array.from({ length: 150 }, (_, index) => `own/${index}`)));
    const codes = [...(await client.next()).body.subarray(2)];
    expect([codes.filter((code) => code === 1).length, codes.filter((code) => code === 0x80).length]).toEqual([100, 50]);
    client.send(subscribePacket(2, 'own/0'));
    expect([...(await client.next()).body.subarray(2)]).toEqual([1]);
  });
});

describe.each([['mqtt'], ['mqtts']] as const)('the end of a connection on %s', (scheme) => {
  /** Has subscribed and read its SUBACK: behind bytes that nobody has read, libuv calls a reset an end. */
  async function openSocket(): Promise<{ readonly socket: Socket; readonly end: Promise<string> }> {
    const { host, port } = address(scheme);
    const socket = scheme === 'mqtt' ? connect({ host, port }) : connectTls({ host, port, ca });
    cleanUps.push(() => socket.destroy());
    await once(socket, scheme === 'mqtt' ? 'connect' : 'secureConnect');
    const end = new Promise<string>((resolve) => {
      socket.once('end', () => resolve('end'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    socket.write(Buffer.concat([connectPacket({ clientId: 'x', username: 'device' }), subscribePacket(1, 'own/rpc')]));
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    await until('it has subscribed', () => bytes === 9);
    return { socket, end };
  }

  test('says on which listener it is, and whether it is encrypted', async () => {
    await openSocket();
    expect([last().listener, last().isEncrypted]).toEqual([scheme, scheme === 'mqtts']);
  });

  test('by reset is a reset, which the handler learns of at once, and only once', async () => {
    changes = { endsByReset: false };
    const { end } = await openSocket();
    last().reset('it did not answer');
    expect([ended, last().isOpen()]).toEqual([['it did not answer'], false]);
    last().reset('again');
    last().close('again');
    expect(await end).toBe('ECONNRESET');
    await until('its place is free', () => broker.stats().openConnections === 0);
    expect(ended).toEqual(['it did not answer']);
  });

  test('by close is no reset, unless its handler wants that', async () => {
    changes = { endsByReset: false };
    const { end } = await openSocket();
    last().close('enough');
    expect(await end).toBe('end');
  });

  test.each([
    ['close', () => last().close('enough')],
    ['the end of the gateway', () => broker.stop()],
    ['an exit of the process', () => process.listeners('exit').at(-1)?.(1)],
    ['an illegal packet', (socket: Socket) => socket.write(Buffer.from([0xf0, 0]))],
    ['a second CONNECT', (socket: Socket) => socket.write(connectPacket({ clientId: 'x' }))],
  ] as const)('by %s is a reset when its handler wants that', async (_title, act) => {
    const { socket, end } = await openSocket();
    await act(socket);
    expect(await end).toBe('ECONNRESET');
  });

  test('by reset comes at once and takes back what waits, also when the other side reads nothing', async () => {
    const { socket } = await openSocket();
    const got: Buffer[] = [];
    socket.pause().on('data', (chunk: Buffer) => got.push(chunk));
    const big = 'x'.repeat(1_000_000);
    for (let index = 0; index < 20; index++) last().publish('own/rpc', big);
    // More than the kernels of both sides take.
    await new Promise((resolve) => setImmediate(resolve));
    last().publish('own/rpc', 'unlock');
    last().reset('it did not answer');
    await until('its place is free', () => broker.stats().openConnections === 0);
    socket.resume();
    await once(socket, 'close').catch(() => undefined);
    expect(Buffer.concat(got).length).toBeLessThan(20_000_000);
    expect(Buffer.concat(got).includes('unlock')).toBe(false);
  });
});
