// The mqtt adapter under the fuzzer, with a canary: a decent lock that is online all the while and must always be served.
import { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import type { DeviceId, LockId } from '../../src/domain/locks/lock.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import { collectGarbage } from './collect-garbage.ts';
import { createFakeLocks, lockA, type TestLock, until } from './mqtt-fakes.ts';
import { type FuzzFigures, fuzz } from './mqtt-fuzzer.ts';
import { type Mqtt, startMqtt, topics } from './mqtt-gateway.ts';
import { pingPacket, pubackPacket, published, publishPacket, subscribePacket, types } from './mqtt-raw.ts';

export interface FuzzReport extends FuzzFigures {
  readonly elapsedMs: number;
  readonly canary: { readonly roundTrips: number; readonly slowestMs: number };
  /** Bytes of heap and buffers after a collection: when a fifth was sent, and at the end. */
  readonly memory: { readonly early: number; readonly late: number };
  readonly stats: ReturnType<Mqtt['stats']>;
  /** Sockets that somebody still holds when all connections of the fuzzer have ended and the canary is gone. */
  readonly socketsHeld: number;
  /** Of the log, level error or worse: there must be none. */
  readonly errors: readonly object[];
}

export interface FuzzRun {
  readonly packets: number;
  readonly seed: number;
  /** With the packets sent and the bytes in use. */
  onProgress?(packets: number, memory: number): void;
}

const attackers = 16;
const betweenRoundTripsMs = 10;
const roundTripMs = 10_000;
/** Somebody who guesses is answered after 5 s at most, and what he sends meanwhile, an end of the stream included, is not read. */
const refusalMs = 10_000;

function fuzzLock(index: number): TestLock {
  return {
    lockId: (1_000 + index) as LockId,
    deviceId: `f0000000${String(index).padStart(4, '0')}` as DeviceId,
    key: `fuzz-key-${index}-0123456789`,
  };
}

/** Rejects when the canary is not served, or a socket of the fuzzer stays open. */
export async function fuzzGateway({ packets, seed, onProgress = () => {} }: FuzzRun): Promise<FuzzReport> {
  const fuzzLocks = Array.from({ length: attackers }, (_, index) => fuzzLock(index));
  const mqtt = await startMqtt({ locks: createFakeLocks(lockA, ...fuzzLocks) });
  const socketsBefore = queryObjects(Socket, { format: 'count' });
  const errors: object[] = [];
  const memory = { early: 0, late: 0 };
  try {
    const canary = await startCanary(mqtt);
    const started = performance.now();
    const sent = await Promise.race([
      canary.failed,
      fuzz({
        ...{ ...mqtt.address(), packets, seed },
        identities: fuzzLocks.map(({ deviceId, key }) => ({ deviceId, key, rootTopic: 'latchd/v1' })),
        onProgress(done) {
          forgetWhatTheFakesHold(mqtt, errors);
          const inUse = memoryInUse();
          if (done <= packets / 5 || memory.early === 0) memory.early = inUse;
          onProgress(done, inUse);
        },
      }),
    ]);
    const elapsedMs = performance.now() - started;
    await until('all sockets of the fuzzer are closed', () => mqtt.stats().openConnections === 1, refusalMs);
    await until('all locks of the fuzzer are gone', () => mqtt.stats().connectedLocks === 1);
    const canaryFigures = await canary.stop();
    forgetWhatTheFakesHold(mqtt, errors);
    memory.late = memoryInUse();
    const socketsHeld = queryObjects(Socket, { format: 'count' }) - socketsBefore;
    return { ...sent, elapsedMs, canary: canaryFigures, memory, stats: mqtt.stats(), socketsHeld, errors };
  } finally {
    await mqtt.stop();
  }
}

/** The fakes write everything down: without this, they would be what grows. */
function forgetWhatTheFakesHold({ reports, quarantine, log }: Mqtt, errors: object[]): void {
  reports.told.length = 0;
  quarantine.kept.length = 0;
  errors.push(...log.lines.filter(({ level }) => level === 'error' || level === 'fatal'));
  log.lines.length = 0;
}

async function startCanary(mqtt: Mqtt) {
  const client = await mqtt.online(lockA);
  client.send(subscribePacket(2, topics.build(lockA.deviceId, 'command')));
  if ((await client.next()).type !== types.suback) throw new Error('the canary could not subscribe');
  const stats = { roundTrips: 0, slowestMs: 0 };
  let stopping = false;

  /** A command, its reply, and a ping: both ways, through the whole adapter. */
  async function roundTrip(): Promise<void> {
    const messageId = 3 + (stats.roundTrips % 60_000);
    const id = `canary.${stats.roundTrips}` as CommandId;
    const outcome = mqtt.sender.session(lockA.lockId)?.send({ op: 'get-status' }, id, roundTripMs);
    if (outcome === undefined) throw new Error('the canary is not online');
    const command = published(await client.next());
    client.send(
      pubackPacket(command.messageId),
      publishPacket(topics.build(lockA.deviceId, 'reply'), JSON.stringify({ id, ok: true, state: 'locked' }), messageId),
      pingPacket,
    );
    const answers = [(await client.next()).type, (await client.next()).type].sort((a, b) => a - b);
    const { kind } = await outcome;
    if (kind !== 'ok' || answers[0] !== types.puback || answers[1] !== types.pingresp)
      throw new Error(`the canary was not served: ${kind}, ${answers}`);
  }

  async function sing(): Promise<void> {
    while (!stopping) {
      const started = performance.now();
      await roundTrip();
      stats.roundTrips++;
      stats.slowestMs = Math.max(stats.slowestMs, performance.now() - started);
      // The client remembers what it received: here that would be what grows.
      (client.received as unknown[]).fill(undefined);
      await new Promise((resolve) => setTimeout(resolve, betweenRoundTripsMs));
    }
  }

  const singing = sing();
  return {
    failed: singing.then(() => new Promise<never>(() => {})),
    async stop() {
      stopping = true;
      await singing;
      return stats;
    },
  };
}

function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
