// What the packet filter costs: publishes a second through Aedes with and without it, in alternating rounds. The load comes
// from a process of its own. `sections/guard.ts` asks.
import { fork } from 'node:child_process';
import { defaultPacketLimits } from '../../src/broker/packet-limits.ts';
import { PacketParser } from '../../src/broker/packet-parser.ts';
import { type Load, runLoad } from '../support/mqtt-load.ts';
import { connectPacket, publishPacket } from '../support/mqtt-raw.ts';
import { startPlainBroker } from '../support/plain-broker.ts';

const unlimitedRate = { packetsPerSecond: 1e9, packetBurst: 1e9 };

function fail(reason: string): void {
  throw new Error(`the guard refused the load: ${reason}`);
}

export interface GuardRound {
  readonly perSecond: number;
  /** Of the broker's process, for one publish. */
  readonly cpuMicros: number;
}

interface Case {
  readonly name: string;
  readonly load: Omit<Load, 'port'>;
  /** As the gateway has it: with a receiver of its own, to which the guard hands on what it lets through. */
  readonly inGateway?: boolean;
}

async function round(guarded: boolean, { load, inGateway = false }: Case): Promise<GuardRound> {
  let received = 0;
  const receive = inGateway ? () => void received++ : undefined;
  const { port, stop } = await startPlainBroker({ guarded, limits: unlimitedRate, onRejected: fail, ...(receive && { receive }) });
  const child = fork(process.argv[1] as string, ['load']);
  const before = process.cpuUsage();
  const elapsedMs = await new Promise<number>((resolve) => {
    child.once('message', (message) => resolve(message as number));
    child.send({ ...load, port });
  });
  const cpu = process.cpuUsage(before);
  child.kill();
  await stop();
  const publishes = load.connections * load.publishesEach;
  if (inGateway && received !== publishes) throw new Error(`${received} of ${publishes} were received`);
  return { perSecond: (publishes / elapsedMs) * 1_000, cpuMicros: (cpu.user + cpu.system) / publishes };
}

/** Round by round; the order alternates: the second one of a pair finds a warmer process. */
export interface Guarded {
  readonly name: string;
  readonly plain: readonly GuardRound[];
  readonly guarded: readonly GuardRound[];
}
export interface GuardCost {
  /** Of the parser alone, for one packet. */
  readonly parserNs: readonly number[];
  readonly loads: readonly Guarded[];
}

async function compare(one: Case, rounds: number): Promise<Guarded> {
  const plain: GuardRound[] = [];
  const guarded: GuardRound[] = [];
  await round(false, one);
  for (let index = 0; index < rounds; index++) {
    for (const withGuard of index % 2 === 0 ? [false, true] : [true, false])
      (withGuard ? guarded : plain).push(await round(withGuard, one));
  }
  return { name: one.name, plain, guarded };
}

/** The parser alone, over chunks of 64 KiB of small packets that are cut anywhere. */
function parserAlone(): number[] {
  const packet = publishPacket('latchd/v1/a4c1387f02e9/events', Buffer.alloc(64, 'x'), 7);
  const stream = Buffer.concat(Array.from({ length: 20_000 }, () => packet));
  const perPacket: number[] = [];
  for (let index = 0; index < 9; index++) {
    const parser = new PacketParser(defaultPacketLimits);
    parser.feed(connectPacket({ clientId: 'bench' }));
    parser.admit();
    const start = performance.now();
    for (let at = 0; at < stream.length; at += 65_536) {
      let chunk: Buffer | undefined = stream.subarray(at, at + 65_536);
      while (chunk !== undefined) chunk = parser.feed(chunk).rest;
    }
    perPacket.push(((performance.now() - start) * 1e6) / 20_000);
  }
  return perPacket;
}

const loads = {
  'QoS 1, 20 connections': { connections: 20, publishesEach: 2_000, qos: 1, payloadBytes: 64 },
  'QoS 0, 20 connections': { connections: 20, publishesEach: 3_000, qos: 0, payloadBytes: 64 },
  'QoS 1, 1 connection, 4 KiB': { connections: 1, publishesEach: 10_000, qos: 1, payloadBytes: 4_096 },
} as const;

const cases: readonly Case[] = Object.entries(loads).flatMap(([name, load]) => [
  { name: `the guard before Aedes: ${name}`, load },
  { name: `guard and short way as in the gateway: ${name}`, load, inGateway: true },
]);

async function inTurn<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

if (process.argv[2] === 'load') {
  process.once('message', (load: Load) => void runLoad(load).then((elapsedMs) => process.send?.(elapsedMs)));
} else if (process.argv[2] === 'guard') {
  const rounds = Number(process.argv[3]);
  process.send?.({
    parserNs: parserAlone(),
    loads: await inTurn(cases, (one) => compare(one, rounds)),
  } satisfies GuardCost);
}
