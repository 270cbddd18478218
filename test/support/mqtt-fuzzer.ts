// A seeded fuzzer of MQTT brokers over the loopback: half of its connections log in first, so that what it says is not
// only turned away at the door. The bytes of each connection follow from the seed and the number of the connection.
import { connect, type Socket } from 'node:net';
import { anyBeginning, anyPacket, type FuzzIdentity, goodConnect, goodHello, mutate } from './mqtt-fuzz-packets.ts';
import { createRandom, type Random } from './seeded-random.ts';

export interface FuzzOptions {
  readonly host: string;
  readonly port: number;
  readonly seed: number;
  readonly packets: number;
  /** Whom to log in as: as many as connections at once, so that they only sometimes take over from each other. */
  readonly identities: readonly FuzzIdentity[];
  /** Now and then, with the packets sent so far. */
  onProgress?(packets: number): void;
}

export interface FuzzFigures {
  readonly packets: number;
  readonly bytes: number;
  readonly connections: number;
  readonly loggedIn: number;
  /** Ended by the broker before the fuzzer would have ended them. */
  readonly endedByBroker: number;
  readonly bytesReceived: number;
}

const loginWaitMs = 2_000;
const answerWaitMs = 20;
const progressEvery = 5_000;

/** Sends the packets and resolves when all sockets are closed. Rejects when the broker cannot be connected to any more. */
export async function fuzz(options: FuzzOptions): Promise<FuzzFigures> {
  const { identities, packets, seed, onProgress = () => {} } = options;
  const stats = { packets: 0, bytes: 0, connections: 0, loggedIn: 0, endedByBroker: 0, bytesReceived: 0 };
  let reported = 0;

  async function attack(own: FuzzIdentity): Promise<void> {
    while (stats.packets < packets) {
      const random = createRandom(Math.imul(seed, 2_654_435_761) + stats.connections++);
      await attackOnce(random, random.chance(0.05) ? random.pick(identities) : own);
      if (stats.packets - reported < progressEvery) continue;
      reported = stats.packets;
      onProgress(reported);
    }
  }

  async function attackOnce(random: Random, identity: FuzzIdentity): Promise<void> {
    const socket = await open(options);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => {
      stats.bytesReceived += chunk.length;
    });
    const logsIn = random.chance(0.5);
    if (logsIn && (await login(socket, identity, random))) stats.loggedIn++;
    const batch = packetsOf(random, identity, logsIn);
    stats.packets += batch.length;
    await send(socket, Buffer.concat(batch), random);
    if (socket.readableEnded || socket.destroyed) stats.endedByBroker++;
    await finish(socket, random);
    await closed;
  }

  async function send(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
    stats.bytes += bytes.length;
    const cuts = random.below(6);
    let at = 0;
    for (let cut = 0; cut < cuts && at < bytes.length && !socket.destroyed; cut++) {
      const end = at + 1 + random.below(bytes.length - at);
      socket.write(bytes.subarray(at, end));
      at = end;
      if (random.chance(0.7)) await new Promise((resolve) => setImmediate(resolve));
    }
    if (!socket.destroyed && at < bytes.length) socket.write(bytes.subarray(at));
    await new Promise((resolve) => setImmediate(resolve));
  }

  await Promise.all(identities.map(attack));
  return stats;
}

async function open({ host, port }: FuzzOptions): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  // Resets are what a fuzzer asks for.
  socket.on('error', () => {});
  return socket;
}

/** False when it was not waited for, or refused. */
async function login(socket: Socket, identity: FuzzIdentity, random: Random): Promise<boolean> {
  socket.write(random.chance(0.8) ? Buffer.concat([goodConnect(identity), goodHello(identity)]) : goodConnect(identity));
  if (random.chance(0.2)) return true;
  await settled(socket, 'data', loginWaitMs);
  return !socket.destroyed;
}

function packetsOf(random: Random, identity: FuzzIdentity, loggedIn: boolean): Buffer[] {
  const batch = Array.from({ length: 1 + random.below(60) }, (_, index) => {
    const packet = index === 0 && !loggedIn ? anyBeginning(random, identity) : anyPacket(random, identity);
    return random.chance(loggedIn ? 0.03 : 0.3) ? mutate(random, packet) : packet;
  });
  // Packets that change places, and a stream that breaks off in the middle of one.
  if (random.chance(0.1)) batch.reverse();
  const last = batch.at(-1);
  if (last !== undefined && random.chance(0.2)) batch[batch.length - 1] = last.subarray(0, random.below(last.length + 1));
  return batch;
}

async function finish(socket: Socket, random: Random): Promise<void> {
  const manner = random.below(4);
  if (manner === 0) socket.end();
  if (manner > 1) await settled(socket, 'close', answerWaitMs);
  socket.destroy();
}

/** Resolves on the event, on the end of the socket, or after the time. */
function settled(socket: Socket, event: string, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const done = () => {
      clearTimeout(timer);
      socket.off(event, done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    socket.once(event, done);
    socket.once('close', done);
  });
}
