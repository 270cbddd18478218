// Plays mosquitto's raw packet sequences for MQTT 3.1 and 3.1.1 against the packet filter with Aedes behind it, and names
// those that end otherwise. The sequences are not part of this project: the folder with them is the argument
// (test/broker/data of mosquitto's source). The exit code is 1 when fewer pass than `--expect N` asks for.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectPacket, pingPacket, publishPacket } from '../support/mqtt-raw.ts';
import { startPlainBroker } from '../support/plain-broker.ts';

interface Message {
  readonly type: 'send' | 'recv' | 'external_publish';
  readonly payload: string;
  readonly topic?: string;
  readonly qos?: number;
  readonly retain?: boolean;
}

/** What a group says holds for its tests unless they say otherwise. */
interface Settings {
  readonly ver?: number;
  readonly connect?: boolean;
  readonly expect_disconnect?: boolean;
}

interface Test extends Settings {
  readonly name: string;
  readonly msgs: readonly Message[];
}

interface Group extends Settings {
  readonly group: string;
  readonly disable?: boolean;
  readonly tests: readonly Test[];
}

const waitMs = 2_000;
const connackAccepted = Buffer.from([0x20, 2, 0, 0]);
const pingresp = Buffer.from([0xd0, 0]);

/** `10 r13 s4 'MQTT' 04 02 k10`: hex, a remaining length, numbers of 8, 16 and 32 bits, and text. */
function parsePayload(payload: string): Buffer {
  const parts = payload.match(/'[^']*'|[^\s']+/g) ?? [];
  return Buffer.concat(parts.map(parsePart));
}

function parsePart(part: string): Buffer {
  const kind = part.charAt(0);
  const number = Number(part.slice(1));
  if (kind === "'") return Buffer.from(part.slice(1, -1));
  if (kind === 'i') return Buffer.from([number]);
  if ('Hkms'.includes(kind)) return Buffer.from([number >> 8, number & 255]);
  if (kind === 'L') return Buffer.from([24, 16, 8, 0].map((shift) => (number >>> shift) & 255));
  if (kind === 'r' || kind === 'v') return variableLength(number);
  return Buffer.from(part, 'hex');
}

/** Also of numbers that take more than the four bytes which are allowed. */
function variableLength(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) | 128);
    if (rest < 128) return Buffer.from(bytes);
  }
}

interface Player {
  send(bytes: Buffer): void;
  /** As many bytes as asked for; fewer when the connection ends first; undefined when nothing happens. */
  receive(count: number): Promise<Buffer | undefined>;
  close(): void;
}

async function openPlayer(port: number): Promise<Player> {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received = Buffer.alloc(0);
  let ended = false;
  let wake = () => {};
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('close', () => {
    ended = true;
    wake();
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    send: (bytes) => void socket.write(bytes),
    async receive(count) {
      const deadline = performance.now() + waitMs;
      while (received.length < count && !ended) {
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) return undefined;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const taken = received.subarray(0, count);
      received = received.subarray(taken.length);
      return taken;
    },
    close: () => void socket.destroy(),
  };
}

async function expectBytes(player: Player, expected: Buffer, what: string): Promise<void> {
  const actual = await player.receive(expected.length);
  if (actual?.equals(expected)) return;
  throw new Error(
    `${what}: expected ${expected.toString('hex')}, got ${actual === undefined ? 'nothing' : actual.toString('hex') || 'the end'}`,
  );
}

async function login(player: Player, clientId: string, version: number): Promise<void> {
  player.send(connectPacket({ clientId, version, protocol: version === 3 ? 'MQIsdp' : 'MQTT' }));
  await expectBytes(player, connackAccepted, 'CONNACK');
}

async function publishFromOutside(port: number, { topic = '', payload, qos = 0, retain = false }: Message): Promise<void> {
  const helper = await openPlayer(port);
  try {
    await login(helper, 'helper', 4);
    helper.send(publishPacket(topic, payload, 1, { qos, retain }));
    if (qos === 1) await expectBytes(helper, Buffer.from([0x40, 2, 0, 1]), 'PUBACK of the helper');
    if (qos === 2) {
      await expectBytes(helper, Buffer.from([0x50, 2, 0, 1]), 'PUBREC of the helper');
      helper.send(Buffer.from([0x62, 2, 0, 1]));
      await expectBytes(helper, Buffer.from([0x70, 2, 0, 1]), 'PUBCOMP of the helper');
    }
  } finally {
    helper.close();
  }
}

async function play(
  port: number,
  name: string,
  { msgs, ver = 4, connect: connects = true, expect_disconnect: ends = true }: Test,
): Promise<void> {
  const player = await openPlayer(port);
  try {
    if (connects) await login(player, name, ver);
    for (const message of msgs) {
      if (message.type === 'send') player.send(parsePayload(message.payload));
      else if (message.type === 'recv') await expectBytes(player, parsePayload(message.payload), 'answer');
      else await publishFromOutside(port, message);
    }
    if (ends) {
      const left = await player.receive(1);
      if (left === undefined || left.length > 0)
        throw new Error(left === undefined ? 'still connected' : `got ${left.toString('hex')} instead of the end`);
    } else {
      player.send(pingPacket);
      await expectBytes(player, pingresp, 'PINGRESP');
    }
  } finally {
    player.close();
  }
}

function readGroups(folder: string): Group[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { expect: { type: 'string', default: '0' }, unguarded: { type: 'boolean', default: false } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('which folder holds the sequences (test/broker/data of mosquitto)?');

const broker = await startPlainBroker({ guarded: !values.unguarded });
let total = 0;
let passed = 0;
for (const { tests, group, disable, ...settings } of readGroups(folder)) {
  for (const each of disable === true ? [] : tests) {
    const sequence = { ...settings, ...each };
    if ((sequence.ver ?? 4) > 4) continue;
    total++;
    try {
      await play(broker.port, `${group} ${each.name}`, sequence);
      passed++;
    } catch (error) {
      write(`${group} / ${each.name}: ${(error as Error).message}`);
    }
  }
}
await broker.stop();
write(`${passed} of ${total} sequences pass`);
process.exitCode = passed < Number(values.expect) ? 1 : 0;
