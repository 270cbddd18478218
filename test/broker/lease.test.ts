// What the broker still does when the lease of its node is over: nothing that counts.
import { afterEach, expect, test } from '@jest/globals';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import { lockA, lockB } from '../support/mqtt-fakes.ts';
import { type Mqtt, startMqtt, topics } from '../support/mqtt-gateway.ts';
import { connectPacket, publishPacket } from '../support/mqtt-raw.ts';

let mqtt: Mqtt;
let left: number;
afterEach(() => mqtt.stop());

async function start(): Promise<void> {
  left = 1;
  mqtt = await startMqtt({ lease: { leftMs: () => left } });
}

test('what lay unread is not taken and not acknowledged, and its connection ends', async () => {
  await start();
  const client = await mqtt.online(lockA);
  const [received, told] = [client.received.length, mqtt.reports.told.length];
  left = 0;
  client.send(publishPacket(topics.build(lockA.deviceId, 'state'), JSON.stringify({ session: 'session-1', state: 'locked' }), 1));
  await client.closed;
  expect(client.received).toHaveLength(received);
  expect(mqtt.reports.told.slice(told).map(([what]) => what)).toEqual(['offline']);
});

test('no command goes out', async () => {
  await start();
  const client = await mqtt.online(lockA);
  const session = mqtt.sender.session(lockA.lockId);
  const received = client.received.length;
  left = 0;
  expect(await session?.send({ op: 'unlock' }, 'id-1' as CommandId, 1_000)).toEqual({ kind: 'lost' });
  await client.closed;
  expect(client.received).toHaveLength(received);
});

test('a command that was ready to leave when the process stood still does not leave', async () => {
  await start();
  const client = await mqtt.online(lockA);
  const received = client.received.length;
  void mqtt.sender.session(lockA.lockId)?.send({ op: 'unlock' }, 'id-1' as CommandId, 1_000);
  left = 0;
  await client.closed;
  expect(client.received).toHaveLength(received);
});

test('nobody logs in', async () => {
  await start();
  left = 0;
  const client = await mqtt.raw();
  client.send(connectPacket({ clientId: lockB.deviceId, username: lockB.deviceId, password: lockB.key }));
  await client.closed;
  expect(client.received).toEqual([]);
});

test('all who are connected are sent away when it ends, and may come back', async () => {
  await start();
  const clients = [await mqtt.online(lockA), await mqtt.online(lockB)];
  mqtt.broker.disconnectAll('the lease of this node is over');
  for (const client of clients) await client.closed;
  await mqtt.online(lockA);
  expect(mqtt.sender.session(lockA.lockId)).toBeDefined();
});
