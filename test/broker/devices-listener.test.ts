// The listener for devices of other makes: whom it serves, by network.
import { afterEach, expect, test } from '@jest/globals';
import { createNetworkFilter } from '../../src/broker/networks.ts';
import { checkListener } from '../../src/platform/listener-check.ts';
import { until } from '../support/mqtt-fakes.ts';
import { type Mqtt, startMqtt } from '../support/mqtt-gateway.ts';
import { connectPacket, openRaw, type RawClient } from '../support/mqtt-raw.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function started(
  networks: readonly string[],
): Promise<Mqtt & { readonly devices: { readonly host: string; readonly port: number } }> {
  const mqtt = await startMqtt({ endpoints: { devices: { host: '127.0.0.1', port: 0, networks } } });
  cleanUps.push(mqtt.stop);
  const { devices } = mqtt.broker.addresses();
  if (devices === undefined) throw new Error('the broker does not listen');
  return { ...mqtt, devices };
}

async function from(address: string, devices: { readonly host: string; readonly port: number }): Promise<RawClient> {
  const client = await openRaw(devices, address);
  cleanUps.push(client.destroy);
  client.send(connectPacket({ clientId: 'x', username: 'x', password: 'x' }));
  return client;
}

test('a connection from a listed network is answered, one from elsewhere is closed before a byte, counted and logged once', async () => {
  const { devices, log, stats } = await started(['127.0.0.8/30', '127.0.0.99']);
  for (const address of ['127.0.0.8', '127.0.0.11', '127.0.0.99']) expect((await (await from(address, devices)).next()).body[1]).toBe(4);
  for (const address of ['127.0.0.12', '127.0.0.12', '127.0.0.98']) {
    const client = await from(address, devices);
    await client.closed;
    expect(client.received).toEqual([]);
  }
  expect(stats().refusedFrames).toEqual({ 'other-network': 3 });
  const turnedAway = log.lines.filter(({ fields }) => 'code' in fields && fields.code === 'connection-turned-away');
  expect(turnedAway.map(({ fields }) => fields)).toEqual([
    { code: 'connection-turned-away', address: '127.0.0.12', reason: 'other-network' },
    { code: 'connection-turned-away', address: '127.0.0.98', reason: 'other-network' },
  ]);
});

test('this machine finds that it listens, in its networks or not, and leaves no trace', async () => {
  for (const networks of [['127.0.0.1'], ['10.0.0.0/8']]) {
    const { devices, log, stats } = await started(networks);
    expect(await checkListener({ ...devices, scheme: 'devices' })).toBe('ok');
    await until('the question has ended', () => stats().openConnections === 0);
    expect([log.lines.filter(({ level }) => level === 'warn'), stats().refusedFrames]).toEqual([[], {}]);
  }
});

test.each([
  ['192.168.20.0/24', '192.168.20.255', true],
  ['192.168.20.0/24', '192.168.21.0', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['192.168.20.7', '192.168.20.7', true],
  ['192.168.20.7', '192.168.20.8', false],
  ['fd00::/8', 'fd12::1', true],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['fd00::7', 'fd00::8', false],
  ['::/0', 'unknown', false],
])('of %s, %s is a member: %s', (network, address, isMember) => {
  expect(createNetworkFilter([network])(address)).toBe(isMember);
});
