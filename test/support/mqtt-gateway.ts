// The whole mqtt adapter over fakes: the real broker on a free port of the loopback, and clients that are cleaned up.

import { type BrokerOptions, createBroker } from '../../src/broker/broker.ts';
import type { LockStore } from '../../src/domain/locks/lock-ports.ts';
import { createCommandSender } from '../../src/drivers/native/command-sender.ts';
import { createHubPresence } from '../../src/drivers/native/hub-presence.ts';
import { createNativeHandlers } from '../../src/drivers/native/native-handlers.ts';
import { createPairingService } from '../../src/drivers/native/pairing-service.ts';
import { createReportReceiver } from '../../src/drivers/native/report-receiver.ts';
import { createTopics } from '../../src/drivers/native/topics.ts';
import { checkerId } from '../../src/platform/listener-check.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { realClock } from './mqtt-clock.ts';
import {
  createFakeHubs,
  createFakeLocks,
  createFakeLog,
  createFakeQuarantine,
  createFakeReports,
  lockA,
  lockB,
  secrets,
  type TestLock,
} from './mqtt-fakes.ts';
import { connectPacket, openRaw, publishPacket, type RawClient, type RawConnect, types } from './mqtt-raw.ts';

export const topics = createTopics('latchd/v1');

export async function startMqtt({
  locks: knownLocks,
  ...options
}: Partial<BrokerOptions> & { readonly locks?: ReturnType<typeof createFakeLocks> } = {}) {
  const locks = createFakeLocks(lockA, lockB);
  const reports = createFakeReports();
  const quarantine = createFakeQuarantine();
  const log = createFakeLog();
  const clock = options.clock ?? realClock;
  const sender = createCommandSender({ clock, log, topics, emit: () => undefined });
  const receiver = createReportReceiver({ reports, sender, quarantine, clock, log });
  const hubs = createFakeHubs();
  const hubPresence = createHubPresence({ log });
  const pairing = createPairingService({
    ...{ clock, hubs, link: sender, emit: () => {} },
    // Nothing is confirmed here.
    locks: locks as typeof locks & LockStore,
    registrations: { adopt: () => Promise.reject(new Error('not here')), replaceKey: () => Promise.reject(new Error('not here')) },
  });
  const native = createNativeHandlers({
    ...{ topics, hubs, hubPresence, pairing, secrets, receiver, clock, log },
    locks: knownLocks ?? locks,
  });
  const broker = createBroker({
    endpoints: { mqtt: { host: '127.0.0.1', port: 0 } },
    handlers: native,
    checkedBy: checkerId,
    clock,
    tickBatcher: createTickBatcher(),
    log,
    ...options,
  });
  await broker.start();
  const raws: RawClient[] = [];

  function address() {
    const { mqtt } = broker.addresses();
    if (mqtt === undefined) throw new Error('the broker has no plain listener');
    return mqtt;
  }

  async function raw(): Promise<RawClient> {
    const client = await openRaw(address());
    raws.push(client);
    return client;
  }

  /** Connects as a lock with the right credentials, changed by `changes`; resolves with its CONNACK taken. */
  async function login(lock: Pick<TestLock, 'deviceId' | 'key'>, changes: Partial<RawConnect> = {}): Promise<RawClient> {
    const client = await raw();
    client.send(connectPacket({ clientId: lock.deviceId, username: lock.deviceId, password: lock.key, ...changes }));
    const connack = await client.next();
    if (connack.type !== types.connack || connack.body[1] !== 0) throw new Error(`the login was refused with ${connack.body[1]}`);
    return client;
  }

  /** Logs in and says hello; resolves when the PUBACK of the hello has come. */
  async function online(lock: TestLock, hello: object = {}): Promise<RawClient> {
    const client = await login(lock);
    client.send(publishPacket(topics.build(lock.deviceId, 'hello'), helloText(hello), 1));
    await client.next();
    return client;
  }

  return {
    stats: () => ({ ...native.stats(), ...broker.stats() }),
    ...{ broker, address, locks, hubs, hubPresence, pairing, reports, quarantine, log, sender, receiver, raw, login, online },
    async stop() {
      for (const client of raws) client.destroy();
      await broker.stop();
    },
  };
}

export type Mqtt = Awaited<ReturnType<typeof startMqtt>>;

export function helloText(changes: object = {}): string {
  return JSON.stringify({ protocol: 1, session: 'session-1', uptime: 1_000, ...changes });
}

/** How many logins are let in before one is refused for now (CONNACK 3). */
export async function untilRefused(login: () => Promise<unknown>): Promise<number> {
  for (let allowed = 0; ; allowed++) {
    try {
      await login();
    } catch (error) {
      if (String(error).includes('refused with 3')) return allowed;
      throw error;
    }
  }
}
